import { loadPageConfig } from '../api/public-config.ts';
import { openOnce } from '../browser/open-once.ts';

const PATIENCE_MS = 30_000;

const config = openOnce(() => loadPageConfig(AbortSignal.timeout(PATIENCE_MS)));

/** The full address of an API path. @throws TypeError when the server is out of reach, DOMException when it takes more than 30 s */
export const addressOf = async (path: string): Promise<string> => (await config()).apiOrigin + path;

/** Fetches a public API path; null if it does not exist (404). @throws TypeError when the request fails, DOMException after 30 s */
export async function askServer(path: string): Promise<Response | null> {
  const answer = await fetch(await addressOf(path), { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  if (answer.status === 404) return null;
  throw new TypeError(`The server answered ${answer.status}`);
}
