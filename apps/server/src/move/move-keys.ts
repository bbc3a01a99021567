import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { KEYS_FOLDER_NAME, readStoredKeys, writeKeys } from '../identity/tokens/key-folder.ts';
import type { StoredKey } from '../identity/tokens/signing-keys.ts';
import { type Move, MoveError } from './move-rows.ts';

/** The signing keys at one end of a move. */
export interface Keys {
  read(): Promise<readonly StoredKey[]>;
  /** Ignores those that are there already. */
  add(keys: readonly StoredKey[]): Promise<void>;
}

/** Copies the signing keys, so that everybody stays signed in. @throws MoveError if the target has others */
export async function moveKeys({ from, to, target, say }: Move<Keys>): Promise<void> {
  const keys = await from.read();
  const known = new Map(keys.map(({ kid, privateKey }) => [kid, privateKey]));
  // A killed run may have left some of them.
  if ((await to.read()).some(({ kid, privateKey }) => known.get(kid) !== privateKey)) {
    throw new MoveError(`${target} already contains other signing keys. Use an empty one.`);
  }
  await to.add(keys);
  say(`signing keys: ${keys.length}`);
}

export function folderKeys(dataDir: string): Keys {
  const folder = join(dataDir, KEYS_FOLDER_NAME);
  return {
    read: async () => (existsSync(folder) ? readStoredKeys(folder) : []),
    add: async (keys) => writeKeys(folder, keys),
  };
}

/** @param client within a transaction */
export const postgresKeys = (client: ClientBase): Keys => ({
  async read() {
    return (await client.query<StoredKey>('SELECT kid, "createdAtMs", "privateKey", certificate FROM "signingKeys"')).rows;
  },
  async add(keys) {
    const insert = 'INSERT INTO "signingKeys" (kid, "createdAtMs", "privateKey", certificate) VALUES ($1, $2, $3, $4)';
    for (const { kid, createdAtMs, privateKey, certificate } of keys) {
      await client.query(`${insert} ON CONFLICT DO NOTHING`, [kid, createdAtMs, privateKey, certificate]);
    }
  },
});
