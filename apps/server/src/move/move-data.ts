import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Config, Secrets } from '../config/config.ts';
import { migrations } from '../database/migrations.ts';
import { connectClient, endClient } from '../database/postgres/connections.ts';
import { openPostgres } from '../database/postgres/open-postgres.ts';
import { lockDataFolder } from '../database/sqlite/lock-data-folder.ts';
import { stepOf } from '../database/sqlite/migrate.ts';
import { DATABASE_FILE_NAME } from '../database/sqlite/open-sqlite.ts';
import { openFolderStorage } from '../storage/folder-storage.ts';
import { SCRATCH } from '../storage/object-storage.ts';
import { openStorage } from '../storage/open-storage.ts';
import { folderKeys, moveKeys, postgresKeys } from './move-keys.ts';
import { moveObjects } from './move-objects.ts';
import { MoveError, moveRows, postgresRows, sqliteRows, tablesOf } from './move-rows.ts';

export interface MoveOptions {
  /** Absolute path; nothing in it is changed. */
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly config: Pick<Config, 'storageUrl' | 's3Endpoint' | 's3Region'>;
  readonly secrets: Secrets;
  /** Called with what has been copied and compared. */
  readonly say: (line: string) => void;
}

/**
 * Copies the data folder of a stopped server to PostgreSQL and shared storage: first the objects, then all rows and keys in one
 * transaction. So a database with any rows has all of them, and their audio exists. Everything copied is read back and compared. After a
 * kill it can be repeated; repeated after success, it only compares.
 *
 * @throws MoveError, DatabaseError, StorageError
 */
export async function moveData({ dataDir, databaseUrl, config, secrets, say }: MoveOptions): Promise<void> {
  if (!existsSync(join(dataDir, DATABASE_FILE_NAME))) throw new MoveError(`There is no ${DATABASE_FILE_NAME} in ${dataDir}.`);
  await using after = new AsyncDisposableStack();
  after.defer(lockDataFolder(dataDir));
  const scratch = await mkdtemp(join(tmpdir(), 'chiffchaff-move-'));
  after.defer(() => rm(scratch, { recursive: true, force: true }));
  const source = after.adopt(await openCopy(dataDir, scratch), (sqlite) => void sqlite.close());
  // Migrates an empty database to the source's schema.
  await (await openPostgres(databaseUrl, { log: { warn: say } })).close();
  const client = after.adopt(await connectClient(databaseUrl), endClient);
  const target = 'The database in DATABASE_URL';
  const from = sqliteRows(source);

  if (config.storageUrl === null) say('Recordings and audio stay in DATA_DIR: STORAGE_URL is not set.');
  else {
    const to = after.adopt(await openStorage({ config, secrets, dataDir, scratchFolder: join(scratch, SCRATCH) }), (opened) =>
      opened.close(),
    );
    await moveObjects(from, { from: openFolderStorage(dataDir), to, target: 'The storage in STORAGE_URL', say });
  }
  await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
  await moveRows(tablesOf(source), { from, to: postgresRows(client), target, say });
  await moveKeys({ from: folderKeys(dataDir), to: postgresKeys(client), target, say });
  await client.query('COMMIT');
  say(
    'Everything was copied. Start servers with the same DATABASE_URL and STORAGE_URL. Keep DATA_DIR until you have checked that everything works.',
  );
}

/** Opens a copy of the database, because SQLite creates files beside a database even if it only reads it. */
async function openCopy(dataDir: string, scratch: string): Promise<Sqlite.Database> {
  for (const ending of ['', '-wal']) {
    const path = join(dataDir, `${DATABASE_FILE_NAME}${ending}`);
    if (existsSync(path)) await copyFile(path, join(scratch, `${DATABASE_FILE_NAME}${ending}`));
  }
  const sqlite = new Sqlite(join(scratch, DATABASE_FILE_NAME));
  if (stepOf(sqlite) === migrations.length) return sqlite;
  sqlite.close();
  throw new MoveError(
    'The data folder was written by another version. Start and stop a server of this version with it, then move it.',
  );
}
