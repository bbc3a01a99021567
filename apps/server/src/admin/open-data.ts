import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config, Secrets } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { readDataMarker } from '../database/sqlite/data-marker.ts';
import { openStorage } from '../storage/open-storage.ts';
import { AdminError } from './admin-error.ts';

/** The data of a server, which may be running, for the commands. */
export interface ServerData extends AsyncDisposable {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly database: Database;
  /** `DATA_DIR`, absolute */
  readonly dataDir: string;
}

/**
 * Opens the database of a server, which may be running; this does not need the lock on the data folder.
 *
 * @throws AdminError if no server has been started yet
 * @throws DatabaseError
 */
export async function openData({ config, secrets }: Pick<ServerData, 'config' | 'secrets'>): Promise<ServerData> {
  const { dataDir } = config;
  const { databaseUrl } = secrets;
  if (databaseUrl === null && readDataMarker(dataDir) === null) {
    throw new AdminError(
      `There is no database in ${dataDir}. Start the server once, or set DATA_DIR or DATABASE_URL to what the server uses.`,
    );
  }
  const log = { warn() {} };
  const database = await openDatabase({ databaseUrl, dataDir, log, reserveBytes: 0 });
  return { config, secrets, database, dataDir, [Symbol.asyncDispose]: () => database.close() };
}

/**
 * Opens the storage of recordings, which a running server may be using.
 *
 * @throws DatabaseError OTHER_STORAGE if it does not belong to the database. @throws StorageError
 */
export async function openServerStorage(data: ServerData) {
  await using opening = new AsyncDisposableStack();
  const scratchFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-admin-'));
  opening.defer(() => rm(scratchFolder, { recursive: true, force: true }));
  const storage = await openStorage({ ...data, scratchFolder });
  opening.defer(() => storage.close());
  const opened = opening.move();
  return { storage, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** @throws AdminError if another service manages the accounts */
export function requireOwnAccounts({ config }: Pick<ServerData, 'config'>): void {
  const { identityMode } = config;
  if (identityMode === 'embedded') return;
  throw new AdminError(`Accounts are not managed by this server (IDENTITY_MODE=${identityMode}). Manage them there.`);
}
