import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import {
  isOtherTable,
  type ListedDetection,
  type ListedFile,
  openTable,
  type Row,
  readRows,
  TableError,
} from '@chiffchaff/survey';
import { InputError, UsageError } from './command-error.ts';
import { whyUnreadable } from './files.ts';
import { filesListPath } from './identify/output/destination.ts';
import { fileEndings } from './identify/output/formats.ts';
import { printable } from './terminal/terminal.ts';

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
  readonly detection: (detection: ListedDetection, table: TableFile) => void;
  readonly file: (file: ListedFile, table: TableFile) => void;
}

/**
 * Reads tables of `identify` one after another, each once, with the lists of recordings beside them (`NAME.files.csv`). From a folder,
 * reads all CSV files except labels, thresholds and lists of segments.
 *
 * @returns the tables that were read
 * @throws InputError when a table cannot be read or is not ours; the message names it and says what works
 */
export async function readTables(
  asked: readonly string[],
  { startFolder, signal, reader }: { readonly startFolder: string; readonly signal: AbortSignal; readonly reader: TableReader },
): Promise<readonly TableFile[]> {
  const done = new Map<string, TableFile>();
  for (const table of await findTables(asked, startFolder)) {
    for (const each of [table, ...(await listBeside(table))]) {
      signal.throwIfAborted();
      if (done.has(each.path)) continue;
      await readTable(each, reader, signal);
      done.set(each.path, each);
    }
  }
  return [...done.values()];
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
    const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
    if (!isFolder) tables.push({ path, shownAs });
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

async function readTable(table: TableFile, reader: TableReader, signal: AbortSignal): Promise<void> {
  try {
    const rows = readRows(createReadStream(table.path, { encoding: 'utf8', highWaterMark: 1_048_576, signal }));
    const header = await rows.next();
    if (table.isFromFolder && header.done !== true && isOtherTable(header.value)) return;
    const ours = openTable(header.done === true ? undefined : header.value);
    if (ours.kind === 'detections')
      await each(rows, (row) => {
        const detection = ours.read(row);
        if (detection !== null) reader.detection(detection, table);
      });
    else await each(rows, (row) => reader.file(ours.read(row), table));
  } catch (error) {
    signal.throwIfAborted();
    const why = whyUnreadable(error);
    const shown = printable(table.shownAs);
    if (why !== null) throw new InputError(`The table ${shown} can't be read: ${why}.`, { cause: error });
    throw error instanceof TableError ? new InputError(`${shown}: ${printable(error.message)}`, { cause: error }) : error;
  }
}

async function each(rows: AsyncIterable<Row>, work: (row: Row) => void): Promise<void> {
  for await (const row of rows) work(row);
}
