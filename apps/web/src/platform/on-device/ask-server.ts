import { loadPageConfig } from '../api/public-config.ts';

const PATIENCE_MS = 30_000;

let apiOrigin: Promise<string> | null = null;

/** The address of a path of the API. @throws TypeError when the server is out of reach */
export async function addressOf(path: string): Promise<string> {
  apiOrigin ??= loadPageConfig(AbortSignal.timeout(PATIENCE_MS)).then((config) => config.apiOrigin);
  try {
    return (await apiOrigin) + path;
  } catch (error) {
    apiOrigin = null;
    throw error;
  }
}

/** What the server has under a path that anyone may ask for; null when it has nothing (404). @throws TypeError when it is out of reach */
export async function askServer(path: string): Promise<Response | null> {
  const answer = await fetch(await addressOf(path), { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  if (answer.status === 404) return null;
  throw new TypeError(`The server answered ${answer.status}`);
}
