import type { OnDeviceModel } from '@chiffchaff/contract';
import { runtimeUrl, sha256Of } from '@chiffchaff/recognizer/web';
import { openCache } from '../storage/registry.ts';
import { addressOf } from './ask-server.ts';

/* The model's files and the runtime in Cache Storage. The model's are keyed by the hash of their content. */

type OfferedFile = OnDeviceModel['files'][number];

export type FetchFailure = 'connection' | 'damaged' | 'full' | 'notKept';

/** A file could not be fetched and stored. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly why: FetchFailure;
  constructor(why: FetchFailure, cause?: unknown) {
    super(`A file of the model could not be kept: ${why}`, { cause });
    this.why = why;
  }
}

/** Size of the parts in which a download is stored: a tab that is killed loses less than one of them. */
const PART_BYTES = 2_097_152;
/** Gives up after this many failures in a row without a byte in between. */
const MOST_FAILURES = 3;
const PAUSE_MS = 1000;

/** @throws FetchError `notKept` if the browser stores nothing, as in some private windows */
export const openModelFileStore = (): Promise<Cache> =>
  openCache('on-device-model').catch((error) => {
    throw new FetchError('notKept', error);
  });

export const keyOf = ({ sha256, name }: Pick<OfferedFile, 'sha256' | 'name'>): string => `/on-device/${sha256}/${name}`;
/** Language of a file of species names; undefined for other files. */
export const languageOf = ({ name }: Pick<OfferedFile, 'name'>): string | undefined => /^names\/(.+)\.txt$/.exec(name)?.[1];
const partsOf = (file: OfferedFile): string => `/on-device/parts/${file.sha256}/`;

/** @throws FetchError `full`, `notKept` */
export async function keep(cache: Cache, key: string, content: BodyInit): Promise<void> {
  try {
    await cache.put(key, new Response(content));
  } catch (error) {
    throw new FetchError(error instanceof DOMException && error.name === 'QuotaExceededError' ? 'full' : 'notKept', error);
  }
}

interface FetchOptions {
  readonly signal: AbortSignal;
  /** bytes of the file received so far */
  readonly onReceived: (bytes: number) => void;
}

/**
 * Fetches a file unless it is stored, verifies its hash and stores it. What arrives before an interruption or a cancellation is stored too, and the download
 * resumes with a Range request, even after a reload.
 *
 * @throws FetchError
 * @throws the signal's reason
 */
export async function fetchAndKeep(cache: Cache, file: OfferedFile, { signal, onReceived }: FetchOptions): Promise<void> {
  if ((await cache.match(keyOf(file))) !== undefined) return;
  const bytes = new Uint8Array(file.bytes);
  let received = await readParts(cache, file, bytes);
  let kept = received;
  const keepPart = async (): Promise<void> => {
    if (received > kept) await keep(cache, partsOf(file) + String(kept), bytes.subarray(kept, received));
    kept = received;
  };
  onReceived(received);
  for (let failures = 0; received < file.bytes; ) {
    const before = received;
    try {
      for await (const piece of fetchFrom(file, received, signal)) {
        if (received + piece.length > file.bytes) throw new FetchError('damaged');
        bytes.set(piece, received);
        received += piece.length;
        onReceived(received);
        if (received - kept >= PART_BYTES) await keepPart();
      }
      if (received < file.bytes) throw new TypeError('The connection was cut');
    } catch (error) {
      if (error instanceof FetchError) {
        await deleteParts(cache, file);
        throw error;
      }
      await keepPart();
      signal.throwIfAborted();
      failures = received > before ? 0 : failures + 1;
      if (failures === MOST_FAILURES) throw new FetchError('connection', error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  const isRight = (await sha256Of(bytes.buffer)) === file.sha256;
  if (isRight) await keep(cache, keyOf(file), bytes);
  await deleteParts(cache, file);
  if (!isRight) throw new FetchError('damaged');
  if ((await cache.match(keyOf(file))) === undefined) throw new FetchError('notKept');
}

/** The file's bytes from an offset on, as they arrive. */
async function* fetchFrom({ url }: OfferedFile, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  // Bypasses the HTTP cache, which may hold a damaged copy.
  const headers = from > 0 ? { range: `bytes=${from}-` } : {};
  const answer = await fetch(await addressOf(url), { signal, cache: 'no-store', headers });
  const isWhole = answer.status === 200 && from === 0;
  if (!isWhole && answer.status !== 206) {
    await answer.body?.cancel();
    // 416: more bytes are stored than the file has. 404: the model has been replaced.
    if (answer.status === 404 || answer.status === 416) throw new FetchError('damaged');
    throw new TypeError(`The server answered ${answer.status}`);
  }
  const reader = answer.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
}

/** Copies the parts that earlier attempts stored, up to the first gap. @returns how many bytes */
async function readParts(cache: Cache, file: OfferedFile, into: Uint8Array): Promise<number> {
  let received = 0;
  for (;;) {
    const part = await cache.match(partsOf(file) + String(received));
    if (part === undefined) return received;
    const bytes = new Uint8Array(await part.arrayBuffer());
    into.set(bytes, received);
    received += bytes.length;
  }
}

async function deleteParts(cache: Cache, file: OfferedFile): Promise<void> {
  for (const { url } of await cache.keys()) {
    if (new URL(url).pathname.startsWith(partsOf(file))) await cache.delete(url);
  }
}

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
