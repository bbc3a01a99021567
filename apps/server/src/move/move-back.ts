import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ClientBase } from 'pg';
import { migrations } from '../database/migrations.ts';
import { connectClient, endClient } from '../database/postgres/connections.ts';
import { lockDataFolder } from '../database/sqlite/lock-data-folder.ts';
import { stepOf } from '../database/sqlite/migrate.ts';
import { DATABASE_FILE_NAME, openSqlite } from '../database/sqlite/open-sqlite.ts';
import { openFolderStorage } from '../storage/folder-storage.ts';
import { SCRATCH } from '../storage/object-storage.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { MoveOptions } from './move-data.ts';
import { folderKeys, moveKeys, postgresKeys } from './move-keys.ts';
import { moveObjects } from './move-objects.ts';
import { MoveError, moveRows, postgresRows, sqliteRows, tablesOf } from './move-rows.ts';

const TARGET = 'The data folder (DATA_DIR)';
/** Folder in the data folder for a database that is not complete yet. */
const UNFINISHED = 'moving-back';

/**
 * Copies PostgreSQL and shared storage to the data folder of a single machine, while all servers are stopped: first the objects, then the
 * keys, then all rows. The database gets its name when it is complete, so a folder with a database has everything. Everything copied is read
 * back and compared. After a kill it can be repeated; repeated after success, it only compares.
 *
 * @throws MoveError, DatabaseError, StorageError
 */
export async function moveBack({ dataDir, databaseUrl, config, secrets, say }: MoveOptions): Promise<void> {
  await using after = new AsyncDisposableStack();
  after.defer(lockDataFolder(dataDir));
  const unfinished = join(dataDir, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  const client = after.adopt(await connectClient(databaseUrl), endClient);
  await requireStopped(client);
  // One moment of the whole database.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await requireSameStep(client);

  if (config.storageUrl === null) say('Recordings and audio are in DATA_DIR already: STORAGE_URL is not set.');
  else {
    const scratch = await mkdtemp(join(tmpdir(), 'chiffchaff-move-'));
    after.defer(() => rm(scratch, { recursive: true, force: true }));
    const from = after.adopt(await openStorage({ config, secrets, dataDir, scratchFolder: join(scratch, SCRATCH) }), (opened) =>
      opened.close(),
    );
    await moveObjects(postgresRows(client), { from, to: openFolderStorage(dataDir), target: TARGET, say });
  }
  await moveKeys({ from: postgresKeys(client), to: folderKeys(dataDir), target: TARGET, say });
  const path = join(dataDir, DATABASE_FILE_NAME);
  const isNew = !existsSync(path);
  if (isNew) await openSqlite(unfinished).close();
  await moveRowsTo(isNew ? join(unfinished, DATABASE_FILE_NAME) : path, client, say);
  if (isNew) await rename(join(unfinished, DATABASE_FILE_NAME), path);
  await rm(unfinished, { recursive: true, force: true });
  say(
    'Everything was copied. Start the server without DATABASE_URL and STORAGE_URL. Keep the database and the storage until you have checked that everything works.',
  );
}

async function moveRowsTo(path: string, client: ClientBase, say: (line: string) => void): Promise<void> {
  const sqlite = new Sqlite(path);
  try {
    if (stepOf(sqlite) !== migrations.length) throw new MoveError(`${TARGET} already contains something else. Use an empty one.`);
    sqlite.exec('BEGIN IMMEDIATE');
    await moveRows(tablesOf(sqlite), { from: postgresRows(client), to: sqliteRows(sqlite), target: TARGET, say });
    sqlite.exec('COMMIT');
  } finally {
    // Ends an open transaction, and puts everything into the file itself.
    sqlite.close();
  }
}

/** @throws MoveError while a server or another command is connected: its changes would be left behind */
async function requireStopped(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'chiffchaff' AND pid <> pg_backend_pid()`,
  );
  if (rowCount === 0) return;
  throw new MoveError('A server is still using the database in DATABASE_URL. Stop all web machines and workers, and try again.');
}

/** @throws MoveError if another version wrote the database, or nobody did */
async function requireSameStep(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('"schemaSteps"') IS NOT NULL AS there`);
  if (!rows[0]?.there) throw new MoveError('The database in DATABASE_URL is empty.');
  const { rows: steps } = await client.query<{ step: number }>('SELECT max(step) AS step FROM "schemaSteps"');
  if (steps[0]?.step === migrations.length) return;
  throw new MoveError(
    'The database in DATABASE_URL was written by another version. Start and stop a server of this version with it.',
  );
}
