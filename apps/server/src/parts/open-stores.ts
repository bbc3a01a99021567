import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Config, Secrets } from '../config/config.ts';
import { noteRestored, restoredSentence } from '../database/last-times.ts';
import { openDatabase } from '../database/open-database.ts';
import { checkPages } from '../database/sqlite/check/check-pages.ts';
import { lockDataFolder } from '../database/sqlite/lock-data-folder.ts';
import type { ServerLimits } from '../server-limits.ts';
import { openSettings } from '../settings/settings.ts';
import { SCRATCH } from '../storage/object-storage.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Installation } from './installation.ts';
import type { PartStack } from './part-stack.ts';

export interface ServerOptions {
  /** what the operator has configured */
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: FastifyBaseLogger;
  readonly installation: Installation;
  readonly limits: ServerLimits;
}

type StoresOptions = Pick<ServerOptions, 'config' | 'secrets' | 'log'>;

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Time for the integrity check of the database at start: enough for a few gigabytes. */
const PAGE_CHECK_MS = 10_000;
/** Enough to delete ten of the longest answers at once. */
const DELETION_RESERVE_BYTES = 16 * 1024 * 1024;

/**
 * Opens everything that a server keeps, and locks its data folder.
 *
 * @throws DatabaseError FOLDER_IN_USE, FILE_DAMAGED, OTHER_STORAGE and others
 * @throws StorageError
 */
export async function openStores({ config, secrets, log }: StoresOptions, parts: PartStack) {
  const { dataDir } = config;
  parts.defer(lockDataFolder(dataDir));
  if (!(await checkPages(dataDir, PAGE_CHECK_MS))) {
    log.warn(
      `the pages of the database were not all checked within ${PAGE_CHECK_MS / 1000} s; "npm run backup -- --check DATA_DIR" checks all of them`,
    );
  }
  const { databaseUrl } = secrets;
  const database = parts.add(await openDatabase({ databaseUrl, dataDir, log, reserveBytes: DELETION_RESERVE_BYTES }));
  const restoredMs = await noteRestored(database);
  if (restoredMs !== null) log.warn(restoredSentence(restoredMs));
  const settings = parts.add(await openSettings(database, config.fixedSettings, log));
  const scratchFolder = join(dataDir, SCRATCH);
  await rm(scratchFolder, { recursive: true, force: true });
  const storage = parts.add(await openStorage({ config, secrets, database, dataDir, scratchFolder }));
  return { dataDir, database, settings, storage };
}
