import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../system-error.ts';

/**
 * Where recordings lie until they are answered. A recording stays where it was received, so that it is either named by a row or
 * removed by the next start.
 */
export interface UploadFolder {
  /** A name below the folder that nothing has used before; nothing of a user's file name is in it. */
  newName(): string;
  pathOf(name: string): string;
  /** Where its analysis saves checkpoints. */
  checkpointPathOf(name: string): string;
  /** Removes an upload and its checkpoint. Does no harm twice. */
  remove(name: string): Promise<void>;
  /** Removes what an earlier run left, but for the names that are still needed. Nothing may be received meanwhile. */
  removeAllBut(needed: ReadonlySet<string>): Promise<void>;
}

/** Its name is that of earlier versions, whose checkpoints are taken up. */
const CHECKPOINT_ENDING = '.notes';

export async function openUploadFolder(folder: string): Promise<UploadFolder> {
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
    pathOf: (name) => join(folder, name),
    checkpointPathOf: (name) => join(folder, `${name}${CHECKPOINT_ENDING}`),
    async remove(name) {
      for (const file of [name, `${name}${CHECKPOINT_ENDING}`]) await rm(join(folder, file), { force: true });
    },
    removeAllBut: (needed) => clean('', needed),
  };
}

const recordingOf = (file: string): string =>
  file.endsWith(CHECKPOINT_ENDING) ? file.slice(0, -CHECKPOINT_ENDING.length) : file;

function unlessNotEmpty(error: unknown): void {
  if (!hasCode(error, 'ENOTEMPTY')) throw error;
}
