import pg from 'pg';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';

const BUSY_RULES: Readonly<Record<string, string>> = {
  40001: 'Requests that change the same rows conflicted.',
  '40P01': 'Requests that change the same rows deadlocked.',
  '55P03': 'Another request holds a lock on the same rows.',
  57014: 'PostgreSQL took too long.',
};
/** SQLSTATE classes and codes of a server that cannot be used now. */
const UNREACHABLE = /^(?:08|28|3D|57P|25P03|25006|53300|53200)/;
const DISK_FULL = '53100';

/**
 * Converts errors of PostgreSQL and of the connection to DatabaseErrors; errors in a statement stay as they are. No message contains the
 * URL.
 */
export function explainPostgres(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof TypeError || error instanceof RangeError || !(error instanceof Error))
    return error;
  const options = { cause: error };
  // Errors that do not come from the server are errors of the connection.
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : null;
  if (code === null || UNREACHABLE.test(code)) {
    return new DatabaseError('UNREACHABLE', `PostgreSQL (DATABASE_URL) cannot be used right now: ${reasonOf(error)}`, options);
  }
  if (code === DISK_FULL) return new DatabaseError('DISK_FULL', 'The disk of PostgreSQL is full.', options);
  const busy = BUSY_RULES[code];
  return busy === undefined ? error : new DatabaseError('BUSY', busy, options);
}

/** If a host name has several addresses, they fail with an error that has no message itself. */
function reasonOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join(', ');
}

export const isLost = (error: unknown): error is DatabaseError => hasDatabaseCode(error, 'UNREACHABLE');

/** Whether a transaction conflicted with another one; a retry may succeed. */
export const isConflict = (error: unknown): boolean =>
  hasDatabaseCode(error, 'BUSY') &&
  error.cause instanceof pg.DatabaseError &&
  ['40001', '40P01'].includes(error.cause.code ?? '');
