import Sqlite from 'better-sqlite3';

/** Whether a write was refused because another row has the same unique value. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY');
