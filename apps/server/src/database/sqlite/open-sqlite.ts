/** The database of a single machine: how its file is opened and changed. The server and its commands open it with `open-database.ts`. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { Database } from '../database.ts';
import { DatabaseError, folderNotWritable, hasDatabaseCode } from '../database-error.ts';
import { expressions } from '../expressions.ts';
import { type Migration, migrations } from '../migrations.ts';
import { type RetryOptions, retry } from '../retry.ts';
import type { Tables } from '../tables.ts';
import { type DataMarker, readDataMarker, writeDataMarker } from './data-marker.ts';
import { type GuardedFile, guardFile } from './guarded-file.ts';
import { hasTables, migrate } from './migrate.ts';
import { openReserve, type Reserve } from './reserve.ts';
import { explainSqlite } from './sqlite-error.ts';

export const DATABASE_FILE_NAME = 'chiffchaff.sqlite';
const RESERVE_FILE_NAME = 'deletion-reserve';
/** How long a program waits for another's write lock when it can do nothing else: at its start, or for a backup. */
export const BUSY_TIMEOUT_MS = 5000;
/** How long a change that is not patient waits for another program's write lock. */
const PATIENCE_MS = 1000;

/**
 * Opens the database of a data folder, creates it if there is none, and migrates its schema.
 *
 * Uses a write-ahead log with full synchronisation: an acknowledged row survives a killed process and a power cut. Only the owner can read
 * the file.
 *
 * @param folder `DATA_DIR`
 * @param reserveBytes reserved on the disk, for deleting when it is full; 0 for none
 * @throws DatabaseError if the folder's contents are newer, foreign, damaged or missing
 */
export function openSqlite(folder: string, steps: readonly Migration[] = migrations, reserveBytes = 0): Database {
  const marker = readDataMarker(folder);
  const path = join(folder, DATABASE_FILE_NAME);
  if (marker !== null && !existsSync(path)) throw lost('FILE_MISSING', marker, `${path} is missing`);
  const sqlite = openFile(folder, path);
  try {
    configure(sqlite);
    if (marker !== null && !hasTables(sqlite)) throw lost('FILE_EMPTY', marker, `${path} is empty`);
    const migrated = migrate(sqlite, steps);
    if (marker === null) writeDataMarker(folder);
    sqlite.pragma('busy_timeout = 0');
    const file = guardFile(sqlite, path);
    const reserve = openReserve(join(folder, RESERVE_FILE_NAME), reserveBytes);
    const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file.database }) });
    const stopping = new AbortController();
    const change = createChange(sqlite, file, query, reserve, stopping.signal);
    return {
      kind: 'sqlite',
      expressions: expressions.sqlite,
      query,
      change,
      migrated,
      findFault: () => change({}, async () => file.damage).catch(asFault),
      stopWaiting: () => stopping.abort(),
      async close() {
        sqlite.close();
      },
    };
  } catch (error) {
    sqlite.close();
    throw explainSqlite(error, DATABASE_FILE_NAME);
  }
}

function lost(code: 'FILE_MISSING' | 'FILE_EMPTY', { createdAt }: DataMarker, what: string): DatabaseError {
  const message = `The data folder has been in use since ${createdAt}, but ${what}. Restore it, or empty the folder to start over.`;
  return new DatabaseError(code, message);
}

function openFile(folder: string, path: string): Sqlite.Database {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // SQLite would make it readable for all users. The log files beside it get the same mode.
    closeSync(openSync(path, 'a', 0o600));
    return new Sqlite(path);
  } catch (cause) {
    throw folderNotWritable(cause);
  }
}

function configure(sqlite: Sqlite.Database): void {
  sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('secure_delete = ON');
}

/** Also for other errors, such as that of a closed database. */
const asFault = (error: unknown): DatabaseError =>
  error instanceof DatabaseError
    ? error
    : new DatabaseError('FOLDER_NOT_WRITABLE', `${DATABASE_FILE_NAME} cannot be written.`, { cause: error });

/**
 * SQLite runs on the thread that answers requests, so it never waits for another program's lock. A change is tried again a little later
 * instead, and until then others can use the connection, above all for reading.
 *
 * @param stopping ends all waiting
 */
function createChange(
  sqlite: Sqlite.Database,
  file: GuardedFile,
  query: Kysely<Tables>,
  reserve: Reserve,
  stopping: AbortSignal,
): Database['change'] {
  const whileBusy: RetryOptions = { isPassing: (error) => hasDatabaseCode(error, 'BUSY'), pausesMs: [4, 64], stopping };
  return ({ patient, freesRoom, light }, change) =>
    retry(
      () =>
        // Nothing else uses the connection meanwhile.
        query.connection().execute(async (within) => {
          // This pragma cannot change within a transaction.
          if (light) sqlite.pragma('synchronous = NORMAL');
          try {
            return await file.transaction(() => change(within));
          } catch (error) {
            if (!freesRoom || !hasDatabaseCode(error, 'DISK_FULL')) throw error;
            // Uses the reserved space, which is reserved again at the end, as far as there is any.
            reserve.release();
            return await file.transaction(() => change(within)).finally(file.truncateLog);
          } finally {
            if (light) sqlite.pragma('synchronous = FULL');
            if (freesRoom) reserve.fill();
          }
        }),
      patient ? whileBusy : { ...whileBusy, patienceMs: PATIENCE_MS },
    );
}
