import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DatabaseError } from '../../database/database-error.ts';
import { byAge, generateKey, type KeyStore, openKey, type SigningKey, type StoredKey } from './signing-keys.ts';

/** Subfolder of the data folder with the keys. */
export const KEYS_FOLDER_NAME = 'keys';
/** A rotation by another process is noticed within this time. */
const RELOAD_AFTER_MS = 1000;

const keyFileSchema = z.object({ kid: z.string(), createdAt: z.iso.datetime(), privateKey: z.string(), certificate: z.string() });

/**
 * The keys of one machine: one file each, readable only by the owner. Deleting a key's file and restarting invalidates its tokens.
 *
 * @param folder contains only keys
 * @throws DatabaseError FILE_DAMAGED
 */
export async function openKeyFolder(folder: string): Promise<KeyStore> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  removeHalfWritten(folder);
  let keys = readKeys(folder);
  if (keys.length === 0) await add(await generateKey(Date.now()));
  let lookedAtMs = Date.now();

  async function add(key: StoredKey): Promise<void> {
    writeKey(folder, key);
    keys = readKeys(folder);
  }

  return {
    list() {
      if (Math.abs(Date.now() - lookedAtMs) < RELOAD_AFTER_MS) return keys;
      lookedAtMs = Date.now();
      keys = readKeysOr(folder, keys);
      return keys;
    },
    add,
    async close() {},
  };
}

/** An emptied or unreadable folder takes effect at the next start; until then people stay signed in. */
function readKeysOr(folder: string, fallback: readonly SigningKey[]): readonly SigningKey[] {
  try {
    const found = readKeys(folder);
    return found.length > 0 ? found : fallback;
  } catch {
    return fallback;
  }
}

/** Deletes partial files left by a killed process; no token was signed with such a key. */
function removeHalfWritten(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^signing-[0-9a-f]+\.json\.part$/.test(name)) rmSync(join(folder, name), { force: true });
}

/** All keys of a folder, oldest first. @throws DatabaseError FILE_DAMAGED */
const readKeys = (folder: string): readonly SigningKey[] => readStoredKeys(folder).map(openKey).sort(byAge);

/** Writes keys to a folder, which is created if it is missing. */
export function writeKeys(folder: string, keys: readonly StoredKey[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const key of keys) writeKey(folder, key);
}

/** Reads the key files of a folder. @throws DatabaseError FILE_DAMAGED */
export function readStoredKeys(folder: string): readonly StoredKey[] {
  return readdirSync(folder)
    .filter((name) => /^signing-[0-9a-f]+\.json$/.test(name))
    .map((name) => readKey(join(folder, name)));
}

function readKey(path: string): StoredKey {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const text = readFileSync(path, 'utf8');
  try {
    const { createdAt, ...file } = keyFileSchema.parse(JSON.parse(text));
    const key = { ...file, createdAtMs: Date.parse(createdAt) };
    openKey(key);
    return key;
  } catch (cause) {
    const found = text.trim() === '' ? 'empty' : 'damaged';
    const remedy = 'Restore it from a backup, or remove the file, which invalidates the tokens signed with it.';
    throw new DatabaseError('FILE_DAMAGED', `The signing key ${path} is ${found}. ${remedy}`, { cause });
  }
}

function writeKey(folder: string, { createdAtMs, ...key }: StoredKey): void {
  const file: z.infer<typeof keyFileSchema> = { ...key, createdAt: new Date(createdAtMs).toISOString() };
  const path = join(folder, `signing-${key.kid}.json`);
  writeFileSync(`${path}.part`, JSON.stringify(file), { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
}
