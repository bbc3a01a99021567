import { isDiskFull } from '@chiffchaff/acquire';
import { DatabaseError, hasDatabaseCode } from '../database/database-error.ts';
import { hasStorageCode, StorageError } from '../storage/storage-error.ts';
import { HttpProblem } from './http-problem.ts';

/** A lock is held for a moment, or until an operator intervenes. */
const LOCKED_RETRY_SECONDS = 2;
/** A database or storage that restarts or was cut off needs some seconds. */
const UNREACHABLE_RETRY_SECONDS = 5;
/** A full disk gets room when old recordings are deleted, or an operator intervenes. */
export const FULL_RETRY_SECONDS = 600;

/** The problem for an error of the disk, the database or the storage of recordings; null for any other error. */
export function storageProblemOf(cause: unknown): HttpProblem | null {
  if (isDiskFull(cause) || hasDatabaseCode(cause, 'DISK_FULL') || hasStorageCode(cause, 'FULL')) {
    return new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS }, { cause });
  }
  if (hasDatabaseCode(cause, 'BUSY')) {
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds: LOCKED_RETRY_SECONDS, by: 'otherProgram' }, { cause });
  }
  if (hasDatabaseCode(cause, 'UNREACHABLE')) {
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds: UNREACHABLE_RETRY_SECONDS, by: 'database' }, { cause });
  }
  if (hasStorageCode(cause, 'AWAY')) {
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds: UNREACHABLE_RETRY_SECONDS, by: 'storage' }, { cause });
  }
  return cause instanceof DatabaseError || cause instanceof StorageError
    ? new HttpProblem('STORAGE_UNAVAILABLE', {}, { cause })
    : null;
}
