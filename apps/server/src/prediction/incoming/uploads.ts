import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import { wholeOf } from '../../storage/compare-storage.ts';
import { type LocalFile, type ObjectStorage, SCRATCH, writeObject } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { retryUntilAvailable } from '../../storage/until-back.ts';

/** The checkpoint of an analysis, in a file of this machine. */
export interface CheckpointFile extends AsyncDisposable {
  readonly path: string;
  /** Call this when the file has grown. */
  save(): void;
}

/** Recordings until they are answered. Each is named by a row; otherwise the next start or a sweep removes it. */
export interface Uploads {
  /** A new name, which contains nothing of a user's file name. */
  newName(): string;
  /** The path on this machine to receive a recording of that name. */
  receivePathOf(name: string): string;
  /** Stores what has been received, so that a row may name it. @throws StorageError */
  store(name: string): Promise<void>;
  /**
   * Opens a recording for analysis, after waiting for unavailable storage.
   *
   * @returns null when it does not exist
   * @throws the signal's reason when it aborts
   */
  open(name: string, signal: AbortSignal): Promise<LocalFile | null>;
  /** Opens the checkpoint that any process or machine left. @throws the signal's reason when it aborts */
  openCheckpoint(name: string, signal: AbortSignal): Promise<CheckpointFile>;
  /** Removes a recording and its checkpoint, perhaps later. Idempotent. */
  remove(name: string): Promise<void>;
  /** As `remove`, but when this returns, nothing is left, so that its row may forget it. @throws StorageError */
  removeNow(name: string): Promise<void>;
  /** Removes what an earlier run left, except needed names, unless other machines have uploads in the storage. Call it while nothing arrives. */
  removeAllBut(needed: ReadonlySet<string>): Promise<void>;
  /** Stops background work. */
  close(): Promise<void>;
}

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
const checkpointPart = (name: string, part: number | ''): string => `${uploadObject(name)}${CHECKPOINT_ENDING}/${part}`;

/** Opens uploads: a recording arrives in a file of this machine and goes into the storage, where the worker that takes its job opens it. */
export async function openUploads({ storage, dataDir, log }: UploadsOptions): Promise<Uploads> {
  const arriving = join(dataDir, SCRATCH, 'arriving');
  await mkdir(arriving, { recursive: true, mode: 0o700 });
  const receivePathOf = (name: string): string => join(arriving, name);
  const closing = new AbortController();
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
    await rm(receivePathOf(name), { force: true });
    checkpoints.delete(name);
    // Listed, because another machine may have stored them.
    const parts: string[] = [];
    for await (const part of storage.list(checkpointPart(name, ''))) parts.push(part.name);
    await storage.remove([uploadObject(name), ...parts]);
  }

  return {
    newName: () => randomUUID(),
    receivePathOf,
    store: (name) => storage.put(uploadObject(name), receivePathOf(name)),
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
    async removeAllBut(needed) {
      if (storage.isShared) return;
      const kept = new Set([...needed].map(uploadObject));
      const left: string[] = [];
      for await (const { name } of storage.list(uploadObject(''))) if (!kept.has(wholeOf(name))) left.push(name);
      await storage.remove(left);
    },
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
