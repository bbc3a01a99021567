import pg from 'pg';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';

const BUSY_RULES: Readonly<Record<string, string>> = {
  40001: 'Requests that change the same rows conflicted.',
  '40P01': 'Requests that change the same rows deadlocked.',
  '55P03': 'Another request holds a lock on the same rows.',
  57014: 'PostgreSQL took too long.',
};
/** Classes and codes with which PostgreSQL says that it cannot be used now. */
const UNREACHABLE = /^(?:08|28|3D|57P|25P03|25006|53300|53200)/;
const DISK_FULL = '53100';

/** What PostgreSQL or the way to it says, in words; what is wrong with a statement, as it is. No message carries the address. */
export function explainPostgres(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof TypeError || error instanceof RangeError || !(error instanceof Error))
    return error;
  const options = { cause: error };
  // All that does not come from the server is about the way to it.
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : null;
  if (code === null || UNREACHABLE.test(code)) {
    return new DatabaseError('UNREACHABLE', `PostgreSQL (DATABASE_URL) cannot be used right now: ${reasonOf(error)}`, options);
  }
  if (code === DISK_FULL) return new DatabaseError('DISK_FULL', 'The disk of PostgreSQL is full.', options);
  const busy = BUSY_RULES[code];
  return busy === undefined ? error : new DatabaseError('BUSY', busy, options);
}

/** Several addresses of one name fail with an error that has no message of its own. */
function reasonOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join(', ');
}

export const isLost = (error: unknown): error is DatabaseError => hasDatabaseCode(error, 'UNREACHABLE');

/** Whether a transaction met another one; made again, it may succeed. */
export const isConflict = (error: unknown): boolean =>
  hasDatabaseCode(error, 'BUSY') &&
  error.cause instanceof pg.DatabaseError &&
  ['40001', '40P01'].includes(error.cause.code ?? '');
