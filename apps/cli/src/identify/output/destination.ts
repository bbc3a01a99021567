import { open, rename, rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { cannotWrite } from '../../files.ts';
import { type Terminal, writeAll } from '../../terminal/terminal.ts';

/** Characters that are written at once. */
const PIECE_LENGTH = 65_536;

/** Where a command's output goes. */
export interface Destination {
  write(text: string): Promise<void>;
  /** Completes the output; a file is moved into place. */
  finish(): Promise<void>;
  /** Discards unfinished output. */
  close(): Promise<void>;
}

export const standardOutput = ({ out }: Terminal): Destination => ({
  write: (text) => writeAll(out, text),
  finish: async () => undefined,
  close: async () => undefined,
});

/** Whether a path exists but is not a file, such as a pipe or a terminal; it cannot be replaced. */
export async function isNotAFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}

/**
 * Opens a temporary file beside `path`. `finish` moves it into place, so an existing file is replaced only by a complete one.
 *
 * @throws SetUpError when it cannot be written
 */
export async function openFile(path: string, shownAs: string): Promise<Destination> {
  const fail = (error: unknown): never => cannotWrite(shownAs, error);
  const writtenTo = (await isNotAFile(path)) ? path : `${path}.part`;
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

/** Writes a file from pieces of text; an existing one is replaced only by the complete new one. @throws SetUpError */
export async function writeWhole(path: string, shownAs: string, pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const file = await openFile(path, shownAs);
  try {
    let held = '';
    for (const piece of pieces) {
      signal?.throwIfAborted();
      held += piece;
      if (held.length < PIECE_LENGTH) continue;
      await file.write(held);
      held = '';
    }
    await file.write(held);
    await file.finish();
  } finally {
    await file.close();
  }
}

/** `birds` for `birds.csv` */
export const withoutEnding = (path: string): string => path.slice(0, path.length - extname(path).length);

/** The list of files that belongs to a table: `birds.files.csv` for `birds.csv`. */
export const filesListPath = (path: string): string => `${withoutEnding(path)}.files.csv`;
