import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ModelError } from '../errors.ts';
import { mismatch } from './checksum.ts';

export interface Download {
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Share of the file that has arrived, 0–1. */
  readonly onFraction?: (fraction: number) => void;
  /** Given up when the server says nothing for this long. */
  readonly silenceMs?: number;
}

/** Fetches a file to `target` and checks its size and SHA-256. Throws `ModelError` `SOURCE_UNAVAILABLE` or `CHECKSUM_MISMATCH`. */
export async function download(source: Download, target: string, options: DownloadOptions = {}): Promise<void> {
  const { signal, onFraction, silenceMs = 6000 } = options;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const file = await open(target, 'w');
  try {
    const hash = createHash('sha256');
    let received = 0;
    const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    const response = await fetch(source.url, { signal: either });
    if (!response.ok || response.body === null) throw unavailable(source, `it answered ${response.status}`);
    for await (const chunk of response.body) {
      timer.refresh();
      received += chunk.byteLength;
      if (received > source.bytes) break;
      hash.update(chunk);
      await file.writeFile(chunk);
      onFraction?.(received / source.bytes);
    }
    const sha256 = hash.digest('hex');
    if (received !== source.bytes || sha256 !== source.sha256) {
      throw mismatch(source.url, `${received} bytes with sha256 ${sha256}`, `${source.bytes} bytes with sha256 ${source.sha256}`);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (silence.signal.aborted) throw unavailable(source, 'it did not answer', error);
    // What fetch throws for a host that is not there or hangs up.
    if (error instanceof TypeError) throw unavailable(source, 'it cannot be reached', error);
    throw error;
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}

const unavailable = ({ url }: Download, why: string, cause?: unknown): ModelError =>
  new ModelError('SOURCE_UNAVAILABLE', `${new URL(url).host}: ${why}`, { url }, { cause });
