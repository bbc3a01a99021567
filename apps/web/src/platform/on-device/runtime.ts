import { runtimeUrl } from '@chiffchaff/recognizer/web';
import { FetchError, keep } from './model-file-store.ts';

/** Cache key of LiteRT's WebAssembly; another version of the page has another file name. */
export const runtimeKey = (): string => `/on-device/runtime/${new URL(runtimeUrl, location.href).pathname.split('/').at(-1)}`;

/** Size of its download, which is compressed. @throws TypeError when the server is out of reach */
export async function runtimeBytes(): Promise<number> {
  const { headers } = await fetch(runtimeUrl, { method: 'HEAD' });
  return Number(headers.get('content-length') ?? 0);
}

/** Reads the runtime from the cache, else from the server. @throws FetchError */
export async function obtainRuntime(cache: Cache, signal?: AbortSignal): Promise<ArrayBuffer> {
  const kept = await cache.match(runtimeKey());
  if (kept !== undefined) return kept.arrayBuffer();
  let bytes: ArrayBuffer;
  try {
    const answer = await fetch(runtimeUrl, signal ? { signal } : {});
    if (!answer.ok) throw new TypeError(`The server answered ${answer.status}`);
    bytes = await answer.arrayBuffer();
  } catch (error) {
    signal?.throwIfAborted();
    throw new FetchError('connection', error);
  }
  await keep(cache, runtimeKey(), bytes.slice(0));
  return bytes;
}
