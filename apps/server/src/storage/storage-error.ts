import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@chiffchaff/acquire';

/** Why the storage of recordings cannot be used. */
export type StorageErrorCode =
  /** It does not respond, or is unavailable at the moment. */
  | 'AWAY'
  /** It refuses requests because of its bucket, access key or permissions. An operator must intervene. */
  | 'REFUSED'
  /** It is full. */
  | 'FULL';

export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = 'StorageError';
}

export const hasStorageCode = (error: unknown, code: StorageErrorCode): error is StorageError =>
  error instanceof StorageError && error.code === code;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Repeats work that no client would retry, until the storage of recordings can be used.
 *
 * @throws what the work throws besides `StorageError`
 * @throws the signal's reason when it aborts
 */
export async function retryUntilAvailable<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}
