import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '@chiffchaff/acquire';
import type Sqlite from 'better-sqlite3';
import pLimit from 'p-limit';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { MoveError } from './move-error.ts';

export interface MoveObjectsOptions {
  readonly source: Sqlite.Database;
  readonly dataDir: string;
  readonly storage: ObjectStorage;
  readonly say: (line: string) => void;
}

const COPIED_AT_ONCE = 8;
const never = new AbortController().signal;

/**
 * Copies queued recordings and kept audio, each under its path in the data folder. Existing objects are compared, and copied only if they
 * differ.
 *
 * @throws MoveError if the storage has other objects, or one reads back differently
 */
export async function moveObjects({ source, dataDir, storage, say }: MoveObjectsOptions): Promise<void> {
  const names = await namesOf(source, dataDir);
  const there = new Set<string>();
  for (const folder of ['audio', 'uploads']) {
    for await (const { name } of storage.list(`${folder}/`)) {
      if (!names.has(name))
        throw new MoveError(`The storage in STORAGE_URL already contains something else (${name}). Use an empty one.`);
      there.add(name);
    }
  }

  /** @returns its size in bytes */
  async function copy(name: string): Promise<number> {
    const path = join(dataDir, name);
    const hash = await hashFile(path);
    const isSame = async (): Promise<boolean> => (await hashOf(storage, name)) === hash;
    if (!there.has(name) || !(await isSame())) {
      const draft = await storage.draftPathFor(name);
      await copyFile(path, draft);
      await storage.put(name, draft);
      if (!(await isSame())) throw new MoveError(`${name} was copied, but reads back differently. Try again.`);
    }
    return (await stat(path)).size;
  }

  const bytes = await pLimit(COPIED_AT_ONCE).map([...names], copy);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  say(`recordings and audio: ${names.size} objects with ${total} bytes, all verified by SHA-256`);
}

async function namesOf(source: Sqlite.Database, dataDir: string): Promise<ReadonlySet<string>> {
  const uploads = source.prepare<[], string>('SELECT uploadName FROM predictions WHERE uploadName IS NOT NULL').pluck().all();
  const sounds = source.prepare<[], string>('SELECT id FROM keptSounds').pluck().all();
  const names = uploads.map((upload) => `uploads/${upload}`);
  for (const id of sounds) {
    const folder = join(dataDir, 'audio', id);
    if (!existsSync(folder)) continue;
    for (const part of await readdir(folder)) if (!part.endsWith('.part')) names.push(`audio/${id}/${part}`);
  }
  // The recording of an answered prediction may be deleted already.
  return new Set(names.filter((name) => existsSync(join(dataDir, name))));
}

/** @returns null if the object does not exist */
async function hashOf(storage: ObjectStorage, name: string): Promise<string | null> {
  const content = await storage.read(name, null, never);
  if (content === null) return null;
  const hash = createHash('sha256');
  for await (const piece of content) hash.update(piece);
  return hash.digest('hex');
}
