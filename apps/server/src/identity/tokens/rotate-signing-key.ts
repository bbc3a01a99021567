import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../config/config.ts';
import { EXIT_USAGE, runCommand } from '../../run-command.ts';
import { KEYS_FOLDER_NAME, openKeyFolder } from './key-folder.ts';
import type { KeyStore } from './signing-keys.ts';
import { createSigningKeys, KEYS_MAX_AGE_SECONDS } from './signing-keys.ts';

/**
 * Adds a signing key to a data folder (`node rotate-signing-key.ts DATA_DIR`) or, without an argument, to the database in DATABASE_URL. A
 * running server notices the key within a second, publishes it at once and signs with it an hour later; sessions continue.
 */
async function rotate(store: KeyStore): Promise<void> {
  const kid = await createSigningKeys(store, 3600).rotate();
  await store.close();
  process.stdout.write(`Added key ${kid}. Tokens will be signed with it in ${KEYS_MAX_AGE_SECONDS / 60} minutes.\n`);
}

async function rotateInDatabase(url: string): Promise<void> {
  const { openPostgres } = await import('../../database/postgres/open-postgres.ts');
  const { openKeyTable } = await import('../../machines/key-table.ts');
  const database = await openPostgres(url, { log: console });
  await rotate(await openKeyTable(database));
  await database.close();
}

await runCommand(async () => {
  const [, , dataDir] = process.argv;
  const { databaseUrl } = readConfig(process.env).secrets;
  const folder = dataDir === undefined ? null : join(dataDir, KEYS_FOLDER_NAME);
  if (folder !== null && existsSync(folder)) await rotate(await openKeyFolder(folder));
  else if (dataDir === undefined && databaseUrl !== null) await rotateInDatabase(databaseUrl);
  else {
    process.stderr.write(
      'Usage: node rotate-signing-key.ts DATA_DIR, with the data folder of a server that has been started at least once; or with DATABASE_URL set and no argument.\n',
    );
    return EXIT_USAGE;
  }
  return 0;
});
