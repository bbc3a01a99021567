import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { prepareDataFolder, readDataMarker, writeDataMarker } from './data-marker.ts';
import { DatabaseError } from './database-error.ts';
import { hasTables, type Migration, migrate, stepOf } from './migrate.ts';
import { backUpBeforeMigration, removeOldMigrationBackups } from './migration-backup.ts';
import { migrations } from './migrations/migrations.ts';
import type { Tables } from './tables.ts';

export const databaseFileName = 'chiffchaff.sqlite';
/** How long one program waits for another that is writing, for example a backup. */
export const busyTimeoutMs = 5000;

/** How often copies from before migrations are looked at. */
const sweepEveryMs = 86_400_000;

export interface Database {
  readonly query: Kysely<Tables>;
  /**
   * For changes that a power cut may undo because they are made again then: not waited for until they are on the disk. A process that
   * is killed loses nothing of them; nor does anything else, because whatever is waited for later takes them along.
   */
  changeLightly<T>(change: (query: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** the steps of the schema taken when it was opened */
  readonly migrated: readonly string[];
  /** Whether a write would succeed now, at once; for the readiness check. */
  isWritable(): boolean;
  close(): Promise<void>;
}

/**
 * Opens the database of a data folder, creates it where there is none, and brings its schema forwards, with a copy of what was there
 * kept aside.
 *
 * Write-ahead log with full synchronisation: a row that was acknowledged survives a killed process and a power cut.
 * The file is readable for its owner only.
 *
 * @param folder `DATA_DIR`
 * @throws DatabaseError when the folder's contents are newer, foreign, damaged or gone
 */
export function openDatabase(folder: string, steps: readonly Migration[] = migrations): Database {
  prepareDataFolder(folder);
  const marker = readDataMarker(folder);
  const path = join(folder, databaseFileName);
  if (marker !== null && !existsSync(path)) {
    throw new DatabaseError(
      'FILE_MISSING',
      `The data folder has been used since ${marker.createdAt}, but ${path} is gone. Restore it, or empty the folder to start anew.`,
    );
  }
  const sqlite = openFile(path);
  try {
    configure(sqlite);
    if (marker !== null && !hasTables(sqlite)) {
      throw new DatabaseError(
        'FILE_EMPTY',
        `The data folder has been used since ${marker.createdAt}, but ${path} is empty. Restore it, or empty the folder to start anew.`,
      );
    }
    const step = stepOf(sqlite);
    if (step > 0 && step < steps.length) backUpBeforeMigration(sqlite, folder, step);
    removeOldMigrationBackups(folder);
    const migrated = migrate(sqlite, steps);
    if (marker === null) writeDataMarker(folder);
    const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
    // A server may run for longer than a copy is to be kept.
    const sweeps = setInterval(() => removeOldMigrationBackups(folder), sweepEveryMs);
    sweeps.unref();
    const close = async () => {
      clearInterval(sweeps);
      await query.destroy();
      // kysely closes only what it has used.
      sqlite.close();
    };
    const changeLightly: Database['changeLightly'] = (change) =>
      // There is one connection: whoever has it is alone.
      query.connection().execute(async (connection) => {
        sqlite.pragma('synchronous = NORMAL');
        try {
          return await change(connection);
        } finally {
          sqlite.pragma('synchronous = FULL');
        }
      });
    return { query, changeLightly, migrated, isWritable: () => isWritable(sqlite), close };
  } catch (error) {
    sqlite.close();
    throw asDatabaseError(error);
  }
}

function openFile(path: string): Sqlite.Database {
  try {
    // SQLite would create it readable for everybody; the log files beside it take over this mode.
    closeSync(openSync(path, 'a', 0o600));
    return new Sqlite(path);
  } catch (cause) {
    throw new DatabaseError(
      'FOLDER_NOT_WRITABLE',
      'The data folder (DATA_DIR) cannot be written. Check its owner and free space.',
      {
        cause,
      },
    );
  }
}

function configure(sqlite: Sqlite.Database): void {
  sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('secure_delete = ON');
}

function isWritable(sqlite: Sqlite.Database): boolean {
  if (sqlite.inTransaction) return true;
  try {
    // To wait here would be to stand still.
    sqlite.pragma('busy_timeout = 0');
    sqlite.exec('BEGIN IMMEDIATE; ROLLBACK;');
    return true;
  } catch {
    return false;
  } finally {
    if (sqlite.open) sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

function asDatabaseError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  if (error.code !== 'SQLITE_NOTADB' && !error.code.startsWith('SQLITE_CORRUPT')) return error;
  return new DatabaseError('FILE_DAMAGED', `${databaseFileName} in the data folder is damaged. Restore it from a backup.`, {
    cause: error,
  });
}
