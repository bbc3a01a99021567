import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { KEYS_FOLDER_NAME, readStoredKeys, writeKeys } from '../identity/tokens/key-folder.ts';
import type { StoredKey } from '../identity/tokens/signing-key.ts';
import { MoveError } from './move-error.ts';

export interface MoveKeysOptions {
  readonly dataDir: string;
  /** PostgreSQL, within a transaction */
  readonly client: ClientBase;
  readonly say: (line: string) => void;
}

/** Copies the signing keys to PostgreSQL, so that everybody stays signed in. @throws MoveError if there are others */
export async function moveKeys({ dataDir, client, say }: MoveKeysOptions): Promise<void> {
  const keys = keysInFolder(dataDir);
  const there = await keysInDatabase(client);
  for (const { kid, createdAtMs, privateKey, certificate } of there.length === 0 ? keys : []) {
    await client.query('INSERT INTO "signingKeys" (kid, "createdAtMs", "privateKey", certificate) VALUES ($1, $2, $3, $4)', [
      kid,
      createdAtMs,
      privateKey,
      certificate,
    ]);
  }
  if (there.length > 0 && !areAmong(there, keys)) {
    throw new MoveError('The database in DATABASE_URL already contains other signing keys. Use an empty one.');
  }
  say(`signing keys: ${keys.length}`);
}

/** Copies them back. @throws MoveError if there are others */
export async function moveKeysBack({ dataDir, client, say }: MoveKeysOptions): Promise<void> {
  const keys = await keysInDatabase(client);
  // A killed run may have left some of them.
  if (!areAmong(keys, keysInFolder(dataDir))) {
    throw new MoveError('The data folder (DATA_DIR) already contains other signing keys. Use an empty one.');
  }
  writeKeys(join(dataDir, KEYS_FOLDER_NAME), keys);
  say(`signing keys: ${keys.length}`);
}

function keysInFolder(dataDir: string): readonly StoredKey[] {
  const folder = join(dataDir, KEYS_FOLDER_NAME);
  return existsSync(folder) ? readStoredKeys(folder) : [];
}

const keysInDatabase = async (client: ClientBase): Promise<readonly StoredKey[]> =>
  (await client.query<StoredKey>('SELECT kid, "createdAtMs", "privateKey", certificate FROM "signingKeys"')).rows;

function areAmong(all: readonly StoredKey[], some: readonly StoredKey[]): boolean {
  const known = new Map(all.map(({ kid, privateKey }) => [kid, privateKey]));
  return some.every(({ kid, privateKey }) => known.get(kid) === privateKey);
}
