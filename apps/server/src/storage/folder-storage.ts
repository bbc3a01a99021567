import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { hasCode } from '../system-error.ts';
import { type ObjectStorage, SCRATCH } from './object-storage.ts';

/** Objects as files of one machine. Copies nothing unless it has to. */
export function openFolderStorage(folder: string): ObjectStorage {
  const pathOf = (name: string): string => join(folder, name);
  const makeRoomFor = (name: string) => mkdir(dirname(pathOf(name)), { recursive: true, mode: 0o700 });

  return {
    isShared: false,
    async draftPathFor() {
      const draft = join(SCRATCH, 'drafts', randomUUID());
      await makeRoomFor(draft);
      return pathOf(draft);
    },
    async put(name, path) {
      await makeRoomFor(name);
      await rename(path, pathOf(name));
    },
    async open(name, signal) {
      signal.throwIfAborted();
      if ((await statOf(pathOf(name))) === null) return null;
      return { path: pathOf(name), async [Symbol.asyncDispose]() {} };
    },
    async read(name, range, signal) {
      signal.throwIfAborted();
      const file = await unlessMissing(open(pathOf(name)));
      if (file === null) return null;
      return createReadStream('', { fd: file, signal, start: range?.firstByte ?? 0, end: range?.lastByte });
    },
    bytesOf: async (name) => (await statOf(pathOf(name)))?.size ?? null,
    async move(from, to) {
      await makeRoomFor(to);
      return (await unlessMissing(rename(pathOf(from), pathOf(to)))) !== null;
    },
    async remove(names) {
      for (const name of names) {
        await rm(pathOf(name), { force: true });
        // The folder of what has several objects goes with the last of them.
        if (name.split('/').length > 2) await rmdir(dirname(pathOf(name))).catch(() => {});
      }
    },
    async *list(prefix) {
      const entries = await unlessMissing(readdir(pathOf(dirname(`${prefix}x`)), { recursive: true, withFileTypes: true }));
      for (const entry of entries ?? []) {
        const path = join(entry.parentPath, entry.name);
        const name = relative(folder, path);
        if (!entry.isFile() || !name.startsWith(prefix) || name.startsWith(`${SCRATCH}/`)) continue;
        const found = await statOf(path);
        if (found !== null) yield { name, bytes: found.size, changedAtMs: found.mtimeMs };
      }
    },
    close() {},
  };
}

const statOf = (path: string) => unlessMissing(stat(path));

async function unlessMissing<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
