import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../system-error.ts';
import { isOver, nameOfThisRun } from './jobs/processes.ts';

/**
 * Where recordings lie until they are answered: a folder of this run of the server below the one that all runs of a data folder share.
 * A recording stays where it was received, so that whatever happens in between it is either named by a job or nobody's.
 */
export interface UploadFolder {
  /** A name below the folder that nothing has used before; nothing of a user's file name is in it. */
  newName(): string;
  pathOf(name: string): string;
  /** Where it is noted how far listening to it has come. */
  notesPathOf(name: string): string;
  /** Removes an upload and its notes. Does no harm twice. */
  remove(name: string): Promise<void>;
  /** Removes what runs that are over have left, but for what is still needed. Asks for that after it has seen which are. */
  removeLeftovers(needed: () => Promise<ReadonlySet<string>>): Promise<void>;
  /** Takes this run's folder away when nothing is left in it. */
  close(): Promise<void>;
}

export async function openUploadFolder(folder: string): Promise<UploadFolder> {
  const run = nameOfThisRun();
  const own = join(folder, run);
  await mkdir(own, { recursive: true, mode: 0o700 });

  async function removeFrom(subfolder: string, needed: ReadonlySet<string>): Promise<void> {
    for (const file of await readdir(join(folder, subfolder))) {
      const name = `${subfolder}/${recordingOf(file)}`;
      if (!needed.has(name)) await rm(join(folder, subfolder, file), { recursive: true, force: true });
    }
    await removeIfEmpty(join(folder, subfolder));
  }

  return {
    newName: () => `${run}/${randomUUID()}`,
    pathOf: (name) => join(folder, name),
    notesPathOf: (name) => join(folder, `${name}${NOTES_ENDING}`),
    async remove(name) {
      const [subfolder = '', file = ''] = name.split('/');
      await unlink(join(folder, subfolder, file)).catch(unless('ENOENT'));
      await unlink(join(folder, subfolder, `${file}${NOTES_ENDING}`)).catch(unless('ENOENT'));
    },
    async removeLeftovers(needed) {
      const left = (await readdir(folder)).filter((name) => isOver(name, run));
      for (const subfolder of left.filter((name) => !isOfRun(name))) {
        await rm(join(folder, subfolder), { recursive: true, force: true });
      }
      const stillNeeded = await needed();
      for (const subfolder of left.filter(isOfRun)) await removeFrom(subfolder, stillNeeded);
    },
    close: () => removeIfEmpty(own),
  };
}

/** Earlier versions named folders by the process alone. */
const isOfRun = (subfolder: string): boolean => /^\d+(\.|$)/.test(subfolder);

const NOTES_ENDING = '.notes';
const recordingOf = (file: string): string => (file.endsWith(NOTES_ENDING) ? file.slice(0, -NOTES_ENDING.length) : file);

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(unless('ENOTEMPTY', 'ENOENT'));
}

/** Passes over errors that are none here. */
function unless(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, ...codes)) throw error;
  };
}
