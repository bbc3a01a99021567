import { DatabaseError, hasDatabaseCode } from '../database/database-error.ts';
import { isDiskFull } from '../system-error.ts';
import { HttpProblem } from './http-problem.ts';

/** A lock is held for a moment, or until an operator sees to it. */
const LOCKED_RETRY_SECONDS = 2;
/** A full disk becomes free when old recordings are deleted, or an operator sees to it. */
export const FULL_RETRY_SECONDS = 600;

/** The problem that trouble with the disk or the database is for a client, or null where it is no such trouble. */
export function storageProblemOf(cause: unknown): HttpProblem | null {
  if (isDiskFull(cause) || hasDatabaseCode(cause, 'DISK_FULL')) {
    return new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS }, { cause });
  }
  if (hasDatabaseCode(cause, 'BUSY')) {
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds: LOCKED_RETRY_SECONDS, by: 'otherProgram' }, { cause });
  }
  return cause instanceof DatabaseError ? new HttpProblem('STORAGE_UNAVAILABLE', {}, { cause }) : null;
}
