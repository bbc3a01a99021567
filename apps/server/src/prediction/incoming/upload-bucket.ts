import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type ObjectStorage, writeObject } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { retryUntilAvailable } from '../../storage/until-back.ts';
import { CHECKPOINT_ENDING, type CheckpointFile, type Uploads, uploadObject } from './upload-folder.ts';

export interface UploadBucketOptions {
  readonly storage: ObjectStorage;
  readonly log: FastifyBaseLogger;
}

/** A checkpoint file grows by parts, each an object, numbered from 0. */
const checkpointPart = (name: string, part: number | ''): string => `${uploadObject(name)}${CHECKPOINT_ENDING}/${part}`;

/** Opens uploads that machines share: the web machine receives a recording into a file, and the worker that takes its job fetches it. */
export function openUploadBucket({ storage, log }: UploadBucketOptions): Uploads {
  const closing = new AbortController();
  /** Files of recordings that are being received, by name. */
  const drafts = new Map<string, string>();
  /** How many checkpoint parts are stored, for uploads whose checkpoints this machine has read or written. */
  const checkpoints = new Map<string, number>();
  const background = new Set<Promise<void>>();

  /** Runs work in the background until it succeeds or this process ends. A sweep does what is left. */
  function beside(work: () => Promise<void>, failure: string): void {
    const running = retryUntilAvailable(work, closing.signal)
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log.error({ err: error }, failure);
      })
      .finally(() => background.delete(running));
    background.add(running);
  }

  async function fetchCheckpoint(name: string, path: string, signal: AbortSignal): Promise<void> {
    for (let part = 0; ; part += 1) {
      await using file = await retryUntilAvailable(() => storage.open(checkpointPart(name, part), signal), signal);
      if (file === null) return;
      await appendFile(path, await readFile(file.path), { mode: 0o600 });
      checkpoints.set(name, part + 1);
    }
  }

  /** Stores the growth of a checkpoint file. @returns its size then */
  async function storeGrowth(name: string, path: string, storedBytes: number): Promise<number> {
    const bytes = await sizeOf(path);
    if (bytes <= storedBytes) return storedBytes;
    const part = checkpoints.get(name) ?? 0;
    await writeObject(storage, checkpointPart(name, part), (draft) => {
      const growth = createReadStream(path, { start: storedBytes, end: bytes - 1 });
      return pipeline(growth, createWriteStream(draft, { mode: 0o600 }));
    });
    checkpoints.set(name, part + 1);
    return bytes;
  }

  async function removeNow(name: string): Promise<void> {
    const draft = drafts.get(name);
    drafts.delete(name);
    if (draft !== undefined) await rm(draft, { force: true });
    checkpoints.delete(name);
    // Listed, because another machine may have stored them.
    const parts: string[] = [];
    for await (const part of storage.list(checkpointPart(name, ''))) parts.push(part.name);
    await storage.remove([uploadObject(name), ...parts]);
  }

  return {
    newName: () => randomUUID(),
    async receivePathOf(name) {
      const path = drafts.get(name) ?? (await storage.draftPathFor());
      drafts.set(name, path);
      return path;
    },
    async store(name) {
      const path = drafts.get(name);
      if (path === undefined) throw new Error('A recording is stored that was not received.');
      await storage.put(uploadObject(name), path);
    },
    open: (name, signal) => retryUntilAvailable(() => storage.open(uploadObject(name), signal), signal),
    async openCheckpoint(name, signal): Promise<CheckpointFile> {
      const path = await storage.draftPathFor();
      await fetchCheckpoint(name, path, signal);
      let storedBytes = await sizeOf(path);
      let saving = Promise.resolve();
      return {
        path,
        save() {
          saving = saving.then(async () => {
            try {
              storedBytes = await storeGrowth(name, path, storedBytes);
            } catch (error) {
              // The next part will include it.
              log.warn({ err: error }, 'a checkpoint could not be stored yet');
            }
          });
        },
        async [Symbol.asyncDispose]() {
          await saving;
          await rm(path, { force: true });
        },
      };
    },
    async remove(name) {
      await removeNow(name).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        beside(() => removeNow(name), 'an upload could not be removed');
      });
    },
    removeNow,
    async removeAllBut() {},
    async close() {
      closing.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.all(background);
    },
  };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
