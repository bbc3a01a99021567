import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { KEYS_FOLDER_NAME, readStoredKeys } from '../identity/tokens/key-folder.ts';
import { MoveError } from './move-error.ts';

export interface MoveKeysOptions {
  readonly dataDir: string;
  /** within a transaction */
  readonly target: ClientBase;
  readonly say: (line: string) => void;
}

/** Copies the signing keys, so that everybody stays signed in. @throws MoveError if the target has other keys */
export async function moveKeys({ dataDir, target, say }: MoveKeysOptions): Promise<void> {
  const folder = join(dataDir, KEYS_FOLDER_NAME);
  const keys = existsSync(folder) ? readStoredKeys(folder) : [];
  const { rows: there } = await target.query<{ kid: string; privateKey: string }>('SELECT kid, "privateKey" FROM "signingKeys"');
  const isNew = there.length === 0;
  for (const { kid, createdAtMs, privateKey, certificate } of isNew ? keys : []) {
    await target.query('INSERT INTO "signingKeys" (kid, "createdAtMs", "privateKey", certificate) VALUES ($1, $2, $3, $4)', [
      kid,
      createdAtMs,
      privateKey,
      certificate,
    ]);
  }
  const known = new Map(there.map(({ kid, privateKey }) => [kid, privateKey]));
  if (!isNew && keys.some(({ kid, privateKey }) => known.get(kid) !== privateKey)) {
    throw new MoveError('The database in DATABASE_URL already contains other signing keys. Use an empty one.');
  }
  say(`signing keys: ${keys.length}`);
}
