import { loadPageConfig } from '../api/public-config.ts';
import { fetchPublic } from '../api/read-public.ts';
import { openOnce } from '../browser/open-once.ts';

const PATIENCE_MS = 30_000;

const config = openOnce(() => loadPageConfig(AbortSignal.timeout(PATIENCE_MS)));

/** The full address of an API path. @throws TypeError when the server is out of reach, DOMException when it takes more than 30 s */
export const addressOf = async (path: string): Promise<string> => (await config()).apiOrigin + path;

/** Fetches a public API path; null if it does not exist (404). @throws TypeError when the request fails, DOMException after 30 s */
export const askServer = async (path: string): Promise<Response | null> =>
  fetchPublic(await addressOf(path), AbortSignal.timeout(PATIENCE_MS));
