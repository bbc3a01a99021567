import { loadPageConfig } from '../api/public-config.ts';

const PATIENCE_MS = 30_000;

let apiOrigin: Promise<string> | null = null;

/** The full address of an API path. @throws TypeError when the server is out of reach, DOMException when it takes more than 30 s */
export async function addressOf(path: string): Promise<string> {
  apiOrigin ??= loadPageConfig(AbortSignal.timeout(PATIENCE_MS)).then((config) => config.apiOrigin);
  try {
    return (await apiOrigin) + path;
  } catch (error) {
    apiOrigin = null;
    throw error;
  }
}

/** Fetches a public API path; null if it does not exist (404). @throws TypeError when the request fails, DOMException after 30 s */
export async function askServer(path: string): Promise<Response | null> {
  const answer = await fetch(await addressOf(path), { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  if (answer.status === 404) return null;
  throw new TypeError(`The server answered ${answer.status}`);
}
