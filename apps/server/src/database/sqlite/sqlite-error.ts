import Sqlite from 'better-sqlite3';
import { DatabaseError, explainFull } from '../database-error.ts';

const isDamage = (error: unknown): error is Error =>
  error instanceof Sqlite.SqliteError && (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT'));

/** Converts SQLite's errors about the disk, the file or a lock to DatabaseErrors; returns other errors unchanged. */
export function explainSqlite(error: unknown, fileName: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new DatabaseError('BUSY', `Another program is writing to ${fileName}.`, { cause: error });
  }
  if (isDamage(error)) return damaged(fileName, { cause: error });
  return explainFull(error, fileName);
}

export const damaged = (fileName: string, options?: ErrorOptions): DatabaseError =>
  new DatabaseError(
    'FILE_DAMAGED',
    `${fileName} in the data folder is damaged. Stop the server, restore a backup (docs/operations.md, "Restore") and start it again.`,
    options,
  );

/**
 * Lists damaged pages. Some damage keeps SQLite from checking any further.
 *
 * @param check `integrity_check` also compares the indexes; `quick_check` takes half the time
 */
export function findDamage(sqlite: Sqlite.Database, check: 'integrity_check' | 'quick_check'): string[] {
  try {
    const lines = sqlite.pragma(check) as Readonly<Record<typeof check, string>>[];
    return lines.map((line) => line[check]).filter((line) => line !== 'ok');
  } catch (error) {
    if (isDamage(error)) return [error.message];
    throw error;
  }
}
