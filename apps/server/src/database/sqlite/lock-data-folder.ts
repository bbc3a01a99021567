import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DatabaseError, explainFull, folderNotWritable } from '../database-error.ts';

const LOCK_FILE_NAME = 'server.lock';
/** A server that is being replaced may need a moment to stop; `isServed` locks the file for far less than that. */
const PATIENCE_MS = 2000;

/**
 * Makes this process the only server of a data folder, with an exclusive lock on a separate file. The kernel releases it when the process
 * dies, even in a container. Backups, checks and other commands open the database without it.
 *
 * @returns releases the lock
 * @throws DatabaseError FOLDER_IN_USE, DISK_FULL, FOLDER_NOT_WRITABLE
 */
export function lockDataFolder(folder: string): () => void {
  const path = join(folder, LOCK_FILE_NAME);
  let lock: Sqlite.Database;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    lock = new Sqlite(path, { timeout: PATIENCE_MS });
  } catch (cause) {
    throw folderNotWritable(cause);
  }
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw explainFull(error);
    throw new DatabaseError(
      'FOLDER_IN_USE',
      'Another server is using the data folder (DATA_DIR). Each server needs its own data folder: stop the other server, or set another DATA_DIR.',
      { cause: error },
    );
  }
  return () => void lock.close();
}

/** Whether a server is using the folder. */
export function isServed(folder: string): boolean {
  const path = join(folder, LOCK_FILE_NAME);
  if (!existsSync(path)) return false;
  const lock = new Sqlite(path, { readonly: true, timeout: 0 });
  try {
    lock.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
