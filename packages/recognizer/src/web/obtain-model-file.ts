import { RecognizerError } from '../errors.ts';

/**
 * Gets a file of the model from the cache, or fetches it, checks its hash and caches it.
 *
 * @param sha256 from the manifest; a cached file with another hash is fetched again
 * @throws RecognizerError `MODEL_UNREADABLE` if the server does not have it, `MODEL_MISMATCH` if its hash differs
 */
export async function obtainModelFile(url: string, sha256: string, cache: Cache): Promise<ArrayBuffer> {
  const kept = await cache.match(url);
  if (kept !== undefined) {
    const bytes = await kept.arrayBuffer();
    if ((await sha256Of(bytes)) === sha256) return bytes;
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new RecognizerError('MODEL_UNREADABLE', { file: url }, { cause: `status ${answer.status}` });
  const bytes = await answer.arrayBuffer();
  const found = await sha256Of(bytes);
  if (found !== sha256) throw new RecognizerError('MODEL_MISMATCH', { found: `sha256 ${found}`, expected: `sha256 ${sha256}` });
  await cache.put(url, new Response(bytes));
  return bytes;
}

export async function sha256Of(bytes: ArrayBuffer): Promise<string> {
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
