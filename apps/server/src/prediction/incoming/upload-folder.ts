import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFile } from '../../storage/object-storage.ts';
import { hasCode } from '../../system-error.ts';

/** How far the analysis of a recording has come, in a file of this machine. */
export interface CheckpointFile extends AsyncDisposable {
  readonly path: string;
  /** To be called when the file has grown. */
  save(): void;
}

/** Recordings until they are answered. Each is named by a row, or removed by the next start or a sweep. */
export interface Uploads {
  /** One that nothing has used before; nothing of a user's file name is in it. */
  newName(): string;
  /** Where a recording of that name is received, on this machine. */
  receivePathOf(name: string): Promise<string>;
  /** Keeps what has been received, so that a row may name it. @throws StorageError */
  store(name: string): Promise<void>;
  /** The same for an object that lies elsewhere in the storage, and may be left there. @returns false when it is gone */
  takeOver(object: string, name: string): Promise<boolean>;
  /** For the analysis; waits for a storage that is away. @returns null when it is gone. @throws the signal's reason when it aborts */
  open(name: string, signal: AbortSignal): Promise<LocalFile | null>;
  /** Goes on where another process or machine has left off. @throws the signal's reason when it aborts */
  openCheckpoint(name: string, signal: AbortSignal): Promise<CheckpointFile>;
  /** Removes a recording and its checkpoint, sooner or later. Does no harm twice. */
  remove(name: string): Promise<void>;
  /** Removes what an earlier run left, but for the names that are still needed. Nothing may be received meanwhile, so other machines' stay. */
  removeAllBut(needed: ReadonlySet<string>): Promise<void>;
  /** Ends what goes on beside requests. */
  close(): Promise<void>;
}

/** Its name is that of earlier versions, whose checkpoints are taken up. */
export const CHECKPOINT_ENDING = '.notes';
/** The name of an upload as an object. */
export const uploadObject = (name: string): string => `uploads/${name}`;

/** In a folder of this machine: a recording stays where it was received. */
export async function openUploadFolder(dataDir: string): Promise<Uploads> {
  const folder = join(dataDir, 'uploads');
  await mkdir(folder, { recursive: true, mode: 0o700 });

  /** Earlier versions had a subfolder for each run of the server. */
  async function clean(subfolder: string, needed: ReadonlySet<string>): Promise<void> {
    for (const entry of await readdir(join(folder, subfolder), { withFileTypes: true })) {
      const name = `${subfolder}${entry.name}`;
      if (entry.isDirectory() && subfolder === '') await clean(`${name}/`, needed);
      else if (!needed.has(recordingOf(name))) await rm(join(folder, name), { recursive: true });
    }
    if (subfolder !== '') await rmdir(join(folder, subfolder)).catch(unlessNotEmpty);
  }

  return {
    newName: () => randomUUID(),
    receivePathOf: async (name) => join(folder, name),
    async store() {},
    takeOver: (object, name) => placeAt(join(dataDir, object), join(folder, name)),
    open: async (name) => ({ path: join(folder, name), async [Symbol.asyncDispose]() {} }),
    openCheckpoint: async (name) => ({
      path: join(folder, `${name}${CHECKPOINT_ENDING}`),
      save() {},
      async [Symbol.asyncDispose]() {},
    }),
    async remove(name) {
      for (const file of [name, `${name}${CHECKPOINT_ENDING}`]) await rm(join(folder, file), { force: true });
    },
    removeAllBut: (needed) => clean('', needed),
    async close() {},
  };
}

const recordingOf = (file: string): string =>
  file.endsWith(CHECKPOINT_ENDING) ? file.slice(0, -CHECKPOINT_ENDING.length) : file;

function unlessNotEmpty(error: unknown): void {
  if (!hasCode(error, 'ENOTEMPTY')) throw error;
}

/** Under a second name, so that nothing is lost when the process is killed before a job knows it; where that cannot be, by moving it. */
async function placeAt(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS')) throw error;
      return rename(from, to);
    });
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
