import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { SqliteDatabase } from 'kysely';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import { explainSqlite } from './sqlite-error.ts';

export type GuardedFile = ReturnType<typeof guardFile>;

/** More than the server has; statements with lists of values could be endless. */
const MOST_PREPARED = 500;

/**
 * An open database that is not used once its file is no longer the one on disk, and whose storage errors are DatabaseErrors BUSY, DISK_FULL,
 * FILE_LOST or FILE_DAMAGED.
 *
 * @param path of an open database in WAL mode that has been read
 */
export function guardFile(sqlite: Sqlite.Database, path: string) {
  const requireKnownFiles = rememberFiles(path);
  // Preparing takes a quarter of the time that the event loop spends on a request.
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>();
  let damage: DatabaseError | null = null;

  /** Not once it is closed, which removes the log. */
  const requireFiles = (): void => {
    if (sqlite.open) requireKnownFiles();
  };

  function explaining<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      const explained = explainSqlite(error, basename(path));
      if (hasDatabaseCode(explained, 'FILE_DAMAGED')) damage = explained;
      throw explained;
    }
  }

  function prepare(sql: string): Sqlite.Statement<unknown[]> {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = explaining(() => sqlite.prepare<unknown[]>(sql));
    if (prepared.size === MOST_PREPARED) prepared.clear();
    prepared.set(sql, statement);
    return statement;
  }

  const database: SqliteDatabase = {
    prepare(sql) {
      if (!sqlite.inTransaction) requireFiles();
      const statement = prepare(sql);
      // Outside, it would fail whenever another program holds the lock, and be acknowledged without a look at the file.
      if (!statement.readonly && !sqlite.inTransaction) throw new Error(`This must run in a change: ${sql}`);
      return {
        reader: statement.reader,
        all: (parameters) => explaining(() => statement.all(parameters)),
        run: (parameters) => explaining(() => statement.run(parameters)),
        iterate() {
          throw new Error('Rows are read all at once, or page by page.');
        },
      };
    },
    /** The opener closes it. */
    close() {},
  };

  return {
    /** for kysely */
    database,
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      requireFiles();
      // Takes the write lock at once: a transaction that starts by reading could be refused later, when it writes.
      explaining(() => sqlite.exec('BEGIN IMMEDIATE'));
      try {
        const value = await work();
        explaining(() => sqlite.exec('COMMIT'));
        // Written data lasts only if its file is still in place.
        requireFiles();
        return value;
      } catch (error) {
        // SQLite ends some transactions itself.
        if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
        throw error;
      }
    },
    /** Gives the space of the write-ahead log back to the disk, or keeps it while the disk is too full for that. */
    truncateLog(): void {
      try {
        explaining(() => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
      } catch (error) {
        if (!hasDatabaseCode(error, 'DISK_FULL')) throw error;
      }
    },
    /** that was met; null if none was */
    get damage(): DatabaseError | null {
      return damage;
    },
  };
}

/**
 * Remembers a database's files by device and inode: an open file that was removed still accepts writes, and loses them when the process
 * ends. A check takes 7 µs.
 *
 * @returns throws DatabaseError FILE_LOST if one of the files is missing or was replaced
 */
function rememberFiles(path: string): () => void {
  const known = ['', '-wal', '-shm'].map((ending) => ({ path: `${path}${ending}`, identity: identityOf(`${path}${ending}`) }));
  return () => {
    for (const file of known) {
      if (identityOf(file.path) !== file.identity) {
        throw new DatabaseError(
          'FILE_LOST',
          `${file.path} is no longer the file this server opened: it was removed, moved or replaced. Nothing is stored until the server restarts. Stop the server, put ${basename(path)} back or restore a backup, and start it again.`,
        );
      }
    }
  };
}

/** @returns null if there is none, or it cannot be read */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}
