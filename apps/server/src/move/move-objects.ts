import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type Move, MoveError, type Rows } from './move-rows.ts';

const COPIED_AT_ONCE = 8;
const never = new AbortController().signal;

/**
 * Copies the recordings and kept audio that rows name. Existing objects are compared, and copied only if they differ.
 *
 * @param rows They name the objects.
 * @throws MoveError if the target has other objects, or one reads back differently
 */
export async function moveObjects(rows: Rows, { from, to, target, say }: Move<ObjectStorage>): Promise<void> {
  const uploadNames = await valuesOf(rows, 'predictions', 'uploadName');
  const soundIds = await valuesOf(rows, 'keptSounds', 'id');
  /** The bytes of each by name. The recording of an answered prediction may be deleted already. */
  const found = new Map<string, number>();
  for await (const { name, bytes } of from.list('uploads/')) {
    if (uploadNames.has(name.slice('uploads/'.length))) found.set(name, bytes);
  }
  for await (const { name, bytes } of from.list('audio/')) if (soundIds.has(name.split('/')[1] ?? '')) found.set(name, bytes);
  const there = new Set<string>();
  for (const folder of ['audio/', 'uploads/']) {
    for await (const { name } of to.list(folder)) {
      if (!found.has(name)) throw new MoveError(`${target} already contains something else (${name}). Use an empty one.`);
      there.add(name);
    }
  }

  async function copy(name: string): Promise<void> {
    const hash = await hashOf(from, name);
    const isSame = async (): Promise<boolean> => (await hashOf(to, name)) === hash;
    if (there.has(name) && (await isSame())) return;
    const content = await from.read(name, null, never);
    if (content === null) throw new MoveError(`${name} was removed meanwhile. Stop every server, and try again.`);
    const draft = await to.draftPathFor();
    await pipeline(content, createWriteStream(draft, { mode: 0o600, flush: true }));
    await to.put(name, draft);
    if (!(await isSame())) throw new MoveError(`${name} was copied, but reads back differently. Try again.`);
  }

  await pLimit(COPIED_AT_ONCE).map([...found.keys()], copy);
  const total = [...found.values()].reduce((sum, bytes) => sum + bytes, 0);
  say(`recordings and audio: ${found.size} objects with ${total} bytes, all verified by SHA-256`);
}

/** SHA-256 in hex; null if the object does not exist. */
async function hashOf(storage: ObjectStorage, name: string): Promise<string | null> {
  const content = await storage.read(name, null, never);
  if (content === null) return null;
  const hash = createHash('sha256');
  await pipeline(content, hash);
  return hash.digest('hex');
}

async function valuesOf(rows: Rows, name: string, column: string): Promise<ReadonlySet<unknown>> {
  const values = new Set<unknown>();
  for await (const [value] of rows.read({ name, columns: [column], key: ['id'] })) values.add(value);
  return values;
}
