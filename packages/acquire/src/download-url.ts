import { open } from 'node:fs/promises';
import { AcquireError, TransientError } from './acquire-error.ts';
import { mismatch, type Pin } from './checksum.ts';

interface DownloadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Share of the file that has arrived, 0–1. */
  readonly onFraction: (fraction: number) => void;
  readonly idleTimeoutMs?: number;
}

/** Downloads a URL to `target` and returns `target`. Throws if the body is longer than the published file. */
export async function downloadUrl(source: Pin & { readonly url: string }, target: string, options: DownloadOptions) {
  const { signal, onFraction, idleTimeoutMs = 6000 } = options;
  const { host } = new URL(source.url);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), idleTimeoutMs);
  let answered = false;
  try {
    await using file = await open(target, 'w');
    const response = await fetch(source.url, { signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]) });
    answered = true;
    if (!response.ok || response.body === null) {
      const isPassing = response.status >= 500 || response.status === 429;
      const why = `${host}: it responded with status ${response.status}`;
      throw isPassing ? new TransientError(why) : new AcquireError('SOURCE_UNAVAILABLE', why);
    }
    let received = 0;
    for await (const chunk of response.body) {
      timer.refresh();
      received += chunk.byteLength;
      if (source.bytes !== undefined && received > source.bytes) {
        throw mismatch(source.url, `more than ${source.bytes} bytes`, `sha256 ${source.sha256}`);
      }
      await file.writeFile(chunk);
      if (source.bytes !== undefined) onFraction(received / source.bytes);
    }
    return target;
  } catch (error) {
    signal?.throwIfAborted();
    if (silence.signal.aborted) throw new TransientError(`${host}: it did not respond`, { cause: error });
    // fetch throws TypeError if the host cannot be reached, and if it closes the connection during the response.
    if (!(error instanceof TypeError)) throw error;
    if (answered) throw new TransientError(`${host}: the connection was lost`, { cause: error });
    throw new AcquireError('SOURCE_UNAVAILABLE', `${host}: it cannot be reached`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
