import { open, rename, rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { cannotWrite } from '../../files.ts';
import { type Terminal, writeAll } from '../../terminal/terminal.ts';

/** Where a command's output goes. */
export interface Destination {
  write(text: string): Promise<void>;
  /** Everything has been written: it takes its place. */
  finish(): Promise<void>;
  /** Gives up what was not finished. */
  close(): Promise<void>;
}

export const standardOutput = ({ out }: Terminal): Destination => ({
  write: (text) => writeAll(out, text),
  finish: async () => undefined,
  close: async () => undefined,
});

/** Something like a pipe or a terminal: nothing that can be replaced. */
export async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}

/**
 * A file that is written beside its place and put there when it is whole: what is there stays until there is something better.
 *
 * @throws SetUpError when it cannot be written
 */
export async function openFile(path: string, shownAs: string): Promise<Destination> {
  const fail = (error: unknown): never => cannotWrite(shownAs, error);
  const writtenTo = (await isDevice(path)) ? path : `${path}.part`;
  const file = await open(writtenTo, 'w').catch(fail);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    async write(text) {
      await file.appendFile(text).catch(fail);
    },
    async finish() {
      if (writtenTo === path) return close();
      await file.sync().catch(fail);
      await close();
      await rename(writtenTo, path).catch(fail);
    },
    async close() {
      if (!isOpen) return;
      await close();
      if (writtenTo !== path) await rm(writtenTo, { force: true });
    },
  };
}

/** `birds.csv` has its effort in `birds.files.csv`. */
export const besides = (path: string): string => `${path.slice(0, path.length - extname(path).length)}.files.csv`;
