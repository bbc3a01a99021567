import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type LocalFile, type ObjectStorage, removeAll, SCRATCH, writeObject } from '../../storage/object-storage.ts';
import { retryUntilAvailable, StorageError } from '../../storage/storage-error.ts';

export type Uploads = Awaited<ReturnType<typeof openUploads>>;

const CHECKPOINT_ENDING = '.checkpoint';
/** The object name of an upload. */
export const uploadObject = (name: string): string => `uploads/${name}`;

export interface UploadsOptions {
  readonly storage: ObjectStorage;
  /** `DATA_DIR`, where recordings arrive */
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
}

/** A checkpoint file grows by parts, each an object, numbered from 0. */
const checkpointPart = (name: string, part: number): string => `${uploadObject(name)}${CHECKPOINT_ENDING}/${part}`;

/**
 * Opens uploads, recordings until they are answered: each arrives in a file of this machine and goes into the storage, where the worker
 * that takes its job opens it. Each is named by a row; otherwise the next start or a sweep removes it.
 */
export async function openUploads({ storage, dataDir, log }: UploadsOptions) {
  const arriving = join(dataDir, SCRATCH, 'arriving');
  await mkdir(arriving, { recursive: true, mode: 0o700 });
  const receivePathOf = (name: string): string => join(arriving, name);
  const closing = new AbortController();

  /** @returns how many parts of a checkpoint were stored */
  async function fetchCheckpoint(name: string, path: string, signal: AbortSignal): Promise<number> {
    for (let part = 0; ; part += 1) {
      await using file = await retryUntilAvailable(() => storage.open(checkpointPart(name, part), signal), signal);
      if (file === null) return part;
      await appendFile(path, await readFile(file.path), { mode: 0o600 });
    }
  }

  async function removeNow(name: string): Promise<void> {
    await rm(receivePathOf(name), { force: true });
    // With the parts of its checkpoint.
    await removeAll(storage, uploadObject(name));
  }

  return {
    /** The path on this machine to receive a recording of that name, which contains nothing of a user's file name. */
    receivePathOf,
    /** Stores what has been received, so that a row may name it. @throws StorageError */
    store: (name: string): Promise<void> => storage.put(uploadObject(name), receivePathOf(name)),
    /**
     * Opens a recording for analysis, after waiting for unavailable storage.
     *
     * @param bytes its size: cut short, it would be refused as if it had been sent so
     * @returns null when it does not exist, or not all of it
     * @throws the signal's reason when it aborts
     */
    async open(name: string, bytes: number, signal: AbortSignal): Promise<LocalFile | null> {
      const file = await retryUntilAvailable(() => storage.open(uploadObject(name), signal), signal);
      if (file === null || (await sizeOf(file.path)) === bytes) return file;
      await file[Symbol.asyncDispose]();
      return null;
    },
    /** Opens the checkpoint that any process or machine left, in a file of this machine. @throws the signal's reason when it aborts */
    async openCheckpoint(name: string, signal: AbortSignal) {
      const path = await storage.draftPathFor();
      let parts = await fetchCheckpoint(name, path, signal);
      let storedBytes = await sizeOf(path);
      let saving = Promise.resolve();

      async function storeGrowth(): Promise<void> {
        const bytes = await sizeOf(path);
        if (bytes <= storedBytes) return;
        await writeObject(storage, checkpointPart(name, parts), (draft) => {
          const growth = createReadStream(path, { start: storedBytes, end: bytes - 1 });
          return pipeline(growth, createWriteStream(draft, { mode: 0o600 }));
        });
        parts += 1;
        storedBytes = bytes;
      }

      return {
        path,
        /** Call this when the file has grown. What cannot be stored yet is part of the next growth. */
        save(): void {
          saving = saving
            .then(storeGrowth)
            .catch((error: unknown) => log.warn({ err: error }, 'a checkpoint could not be stored yet'));
        },
        async [Symbol.asyncDispose](): Promise<void> {
          await saving;
          await rm(path, { force: true });
        },
      };
    },
    /** Removes a recording and its checkpoint, later if the storage is unavailable. A sweep does what this process cannot. Idempotent. */
    async remove(name: string): Promise<void> {
      await removeNow(name).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        retryUntilAvailable(() => removeNow(name), closing.signal).catch((failure: unknown) => {
          if (!closing.signal.aborted) log.error({ err: failure }, 'an upload could not be removed');
        });
      });
    },
    /** As `remove`, but when this returns, nothing is left, so that its row may forget it. @throws StorageError */
    removeNow,
    /** Stops background work. */
    close: async (): Promise<void> => closing.abort(),
  };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
