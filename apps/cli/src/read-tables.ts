import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { createTableReader, type LocatedDetection, type LocatedFile, openTable } from '@chiffchaff/survey';
import type { CommandContext } from './command-context.ts';
import { InputError, UsageError } from './command-error.ts';
import type { Config } from './config.ts';
import { orInputError, whyUnreadable } from './files.ts';
import { isFolderAt } from './identify/find-recordings.ts';
import { filesListPath } from './identify/output/destination.ts';
import { fileEndings } from './identify/output/formats.ts';
import { printable, say } from './terminal/terminal.ts';

/** A requested table, or the list of recordings beside one. */
export interface TableFile {
  /** absolute */
  readonly path: string;
  readonly shownAs: string;
  /** Found in a requested folder, which may also hold our other files. */
  readonly isFromFolder?: boolean;
}

/** Callbacks for the rows. */
export interface TableReader {
  readonly detection: (detection: LocatedDetection, table: TableFile) => void;
  readonly file?: (file: LocatedFile, table: TableFile) => void;
}

/** `startFolder` is what the names of tables are relative to; notes go to the terminal. */
export type Context = Pick<CommandContext, 'terminal' | 'signal'> & { readonly config: Pick<Config, 'startFolder'> };

/** A table that was read. */
export type ReadTable = TableFile & { readonly kind: 'detections' | 'files' };

/**
 * Reads tables of `identify` one after another, each once, with the lists of recordings beside them (`NAME.files.csv`). From a folder,
 * reads all CSV files except labels, thresholds and lists of segments.
 *
 * @returns the tables that were read
 * @throws InputError when a table cannot be read or is not ours; the message names it and says what works
 */
export async function readTables(asked: readonly string[], context: Context, reader: TableReader): Promise<readonly ReadTable[]> {
  const done = new Map<string, ReadTable | null>();
  for (const table of await findTables(asked, context.config.startFolder)) {
    for (const each of [table, ...(await listBeside(table))]) {
      context.signal.throwIfAborted();
      if (done.has(each.path)) continue;
      const kind = await readTable(each, context, reader);
      done.set(each.path, kind && { ...each, kind });
    }
  }
  return [...done.values()].filter((table) => table !== null);
}

/** CSV, but not the tables for other programs that a run with several formats writes beside it. */
const isOurs = (name: string): boolean =>
  extname(name).toLowerCase() === '.csv' &&
  !name.startsWith('.') &&
  ![fileEndings.analyzer, fileEndings.kaleidoscope].some((ending) => name.endsWith(ending));

async function findTables(asked: readonly string[], startFolder: string): Promise<TableFile[]> {
  if (asked.includes('')) throw new UsageError('One of the tables has an empty name. Use "." for the current folder.');
  const tables: TableFile[] = [];
  for (const shownAs of asked) {
    const path = resolve(startFolder, shownAs);
    if (!(await isFolderAt(path))) tables.push({ path, shownAs });
    else {
      const names = (await readdir(path)).filter(isOurs);
      if (names.length === 0) throw new InputError(`There are no tables (.csv) in the folder ${printable(shownAs)}.`);
      tables.push(...names.sort().map((name) => ({ path: join(path, name), shownAs: join(shownAs, name), isFromFolder: true })));
    }
  }
  return tables;
}

async function listBeside({ path, shownAs }: TableFile): Promise<TableFile[]> {
  const found = await stat(filesListPath(path)).catch(() => null);
  return found?.isFile() ? [{ path: filesListPath(path), shownAs: filesListPath(shownAs) }] : [];
}

/** @returns null for another table in a folder */
async function readTable(table: TableFile, context: Context, reader: TableReader): Promise<ReadTable['kind'] | null> {
  const { signal, terminal } = context;
  const { path, shownAs, isFromFolder = false } = table;
  let found: ReadTable['kind'] | null = null;
  const open = openTable(shownAs, {
    detection: (detection) => reader.detection(detection, table),
    file: (file) => reader.file?.(file, table),
    opened: (kind) => {
      found = kind;
    },
    skipsOthers: isFromFolder,
  });
  const content = createTableReader(open, { shownAs, note: (sentence) => say(terminal, printable(sentence)) });
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1_048_576, signal }))
      orInputError(() => content.push(piece, false));
    orInputError(() => content.push(new Uint8Array(0), true));
    return found;
  } catch (error) {
    signal.throwIfAborted();
    const why = whyUnreadable(error);
    if (why !== null) throw new InputError(`The table ${printable(shownAs)} can't be read: ${why}.`, { cause: error });
    throw error;
  }
}
