import { access, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError, listed } from '@chiffchaff/cli';

/** A recording of a known species, or without birds. */
export interface TableRow {
  readonly file: string;
  readonly split: string;
  /** empty when there is no bird to name */
  readonly scientificName: string;
  readonly group: string;
  /** the sound in words; the table of public recordings has it, others need not */
  readonly label: string;
  /** the published recording it was cut from; empty when the table does not say */
  readonly source: string;
}

const REQUIRED = ['file', 'split', 'scientific_name', 'group'] as const;

/** The table of a command that measures, and the folder of its recordings. */
export interface OpenTable {
  readonly bytes: Uint8Array;
  readonly rows: readonly TableRow[];
  /** absolute */
  readonly recordingsFolder: string;
  /** files of the table that are not in the folder */
  readonly missing: readonly string[];
}

/**
 * Reads the table and checks that its recordings exist, so that missing ones are reported before minutes of analysis.
 * @throws InputError that says what is wrong and what works
 */
export async function openRecordingsTable(
  { table, recordings }: { readonly table: string; readonly recordings: string },
  startFolder: string,
): Promise<OpenTable> {
  const bytes = await readFile(resolve(startFolder, table)).catch((cause: unknown) => {
    throw new InputError(`The table ${table} can't be read. Use --table with a tab-separated file.`, { cause });
  });
  const rows = readRecordingsTable(decodeText(bytes), table);
  const recordingsFolder = resolve(startFolder, recordings);
  const found = await stat(recordingsFolder).catch(() => null);
  if (found === null)
    throw new InputError(`There is no folder at ${recordings}. Use --recordings with the folder of the recordings.`);
  if (!found.isDirectory()) throw new InputError(`${recordings} is a file. Use --recordings with the folder of the recordings.`);
  const missing: string[] = [];
  for (const { file } of rows) if (!(await isThere(join(recordingsFolder, file)))) missing.push(file);
  if (missing.length === rows.length)
    throw new InputError(
      `None of the ${rows.length} recordings of ${table} is in ${recordings}; the first is ${missing[0]}. The column file must contain paths within that folder.`,
    );
  return { bytes, rows, recordingsFolder, missing };
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

/** Spreadsheets also write tab-separated text as UTF-16, which starts with a byte order mark. */
function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/**
 * Reads a table of tab-separated values with the columns file, split, scientific_name and group, in any order.
 * @throws InputError that names what is missing
 */
export function readRecordingsTable(text: string, shownAs: string): TableRow[] {
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  if (head.trim() === '') throw new InputError(`${shownAs} does not start with a line of column names. ${THESE_WORK}.`);
  const columns = head.split('\t').map((name) => name.trim());
  const missing = REQUIRED.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    const found =
      columns.length === 1 && /[,;]/.test(head) ? 'is not separated by tabs' : `has no column ${listed(missing, 'and')}`;
    throw new InputError(`${shownAs} ${found}. ${THESE_WORK}.`);
  }
  const rows = lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    const fields = line.split('\t');
    const field = (name: string) => (fields[columns.indexOf(name)] ?? '').trim();
    const row = {
      file: field('file'),
      split: field('split'),
      scientificName: field('scientific_name'),
      group: field('group'),
      label: field('label'),
      source: field('source_id'),
    };
    const lacking = row.file === '' ? 'file' : row.group === 'bird' && row.scientificName === '' ? 'scientific_name' : null;
    if (lacking !== null)
      throw new InputError(
        `${shownAs} has no ${lacking} in line ${i + 2}; each row needs one${lacking === 'file' ? '' : ' where group is bird'}.`,
      );
    return [row];
  });
  if (rows.length === 0) throw new InputError(`${shownAs} has no rows.`);
  return rows;
}

const THESE_WORK = `Use a tab-separated table with the columns ${listed(REQUIRED, 'and')}`;

/** The names of a table's splits, in words; rows may have none. */
export function splitsIn(rows: readonly TableRow[]): string {
  return listed([...new Set(rows.map(({ split }) => shownSplit(split)))], 'and');
}

/** The displayed name of a split. */
export function shownSplit(split: string): string {
  return split === '' ? '(no name)' : split;
}

/** ESC-50 categories that are birds or contain some, so that their clips cannot show a false alarm. */
const BIRDS_IN_ESC50 = new Set(['chirping_birds', 'crow', 'hen', 'rooster']);

/** Whether a bird named in this recording would be a false alarm. */
export function isBirdFree({ group, label, scientificName }: TableRow): boolean {
  return group !== 'bird' && scientificName === '' && !(group === 'esc50' && BIRDS_IN_ESC50.has(label));
}
