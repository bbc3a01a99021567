import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFile } from '../../storage/object-storage.ts';

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
  receivePathOf(name: string): Promise<string>;
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
  /** Removes what an earlier run left, except needed names. Call it while nothing is being received. Uploads of other machines stay. */
  removeAllBut(needed: ReadonlySet<string>): Promise<void>;
  /** Stops background work. */
  close(): Promise<void>;
}

export const CHECKPOINT_ENDING = '.checkpoint';
/** The object name of an upload. */
export const uploadObject = (name: string): string => `uploads/${name}`;

/** Opens uploads in a folder of this machine: a recording stays where it was received. */
export async function openUploadFolder(dataDir: string): Promise<Uploads> {
  const folder = join(dataDir, 'uploads');
  await mkdir(folder, { recursive: true, mode: 0o700 });

  async function remove(name: string): Promise<void> {
    for (const file of [name, `${name}${CHECKPOINT_ENDING}`]) await rm(join(folder, file), { force: true });
  }

  return {
    newName: () => randomUUID(),
    receivePathOf: async (name) => join(folder, name),
    async store() {},
    open: async (name) => ({ path: join(folder, name), async [Symbol.asyncDispose]() {} }),
    openCheckpoint: async (name) => ({
      path: join(folder, `${name}${CHECKPOINT_ENDING}`),
      save() {},
      async [Symbol.asyncDispose]() {},
    }),
    remove,
    removeNow: remove,
    async removeAllBut(needed) {
      for (const name of await readdir(folder))
        if (!needed.has(recordingOf(name))) await rm(join(folder, name), { recursive: true });
    },
    async close() {},
  };
}

const recordingOf = (file: string): string =>
  file.endsWith(CHECKPOINT_ENDING) ? file.slice(0, -CHECKPOINT_ENDING.length) : file;
