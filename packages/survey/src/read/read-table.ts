/**
 * The one reader of tables and lists: results of `identify`, labels, thresholds, sites. It takes what spreadsheets, R and pandas make of them,
 * and refuses what it does not understand with file, line and column. Each table's module opens it with the columns it wants
 * (`tables-of-ours.ts`, `labels.ts`, `sites.ts`, `threshold-table.ts`).
 */
import { type Columns, createColumns } from './columns.ts';
import { bytesOf, createRowReader, type Row, tornNote } from './read-rows.ts';
import { type ReadOptions, TableError } from './table-error.ts';
import {
  booleanIn,
  type DayOrder,
  DECIMAL_SIGNS,
  type DecimalSign,
  dayIn,
  dayOrderOf,
  decimalSignOf,
  instantIn,
  isMissing,
  numberIn,
  pathIn,
  timeIn,
} from './written-cells.ts';

/** Opens a table by its columns and returns what is done with each row; null: nothing is read. */
export type TableOpener = (columns: Columns) => ((cells: Cells) => void) | null;

/** Reads a table as its bytes arrive. @throws TableError, as `open` may */
export function createTableReader(open: TableOpener, options: ReadOptions) {
  const { shownAs, note, mayBeTorn = false } = options;
  const rows = createRowReader(options);
  let columns: Columns | null = null;
  let give: ReturnType<TableOpener> = null;
  let order: DayOrder = null;
  /** The decimal signs that numbers show, and those that others show by what their columns may have. */
  const signs = new Set<DecimalSign>();
  const likelySigns = new Set<DecimalSign>();
  /** Rows from the first date or number on that could be read in two ways, until another tells. */
  let held: Row[] = [];
  let waitsForOrder = false;
  let waitsForSign = false;
  /** The sign of others by which a number was read. */
  let usedSign: DecimalSign | null = null;

  return {
    push(piece: Uint8Array, isLast: boolean): void {
      for (const row of rows.push(piece, isLast)) {
        if (columns) take(columns, row);
        else start(row.cells);
      }
      if (isLast && columns === null) start([]);
      if (isLast && columns) giveHeld(columns);
    },
  };

  function start(header: readonly string[]): void {
    columns = createColumns(header, shownAs);
    give = open(columns);
  }

  function take(all: Columns, { cells, line, isEnded }: Row): void {
    if (give === null) return;
    const aligned = all.align(cells, isEnded);
    if (aligned === null) {
      if (isEnded || !mayBeTorn)
        throw new TableError(
          `${shownAs}: Line ${line} has ${cells.length} cells and the header ${all.names.length}. Is it cut off, or a separator not quoted?`,
        );
      note(tornNote(shownAs));
      return;
    }
    const found = order === null ? all.days(aligned).map(dayOrderOf) : [];
    order ??= found.find((each) => each === 'dayFirst' || each === 'monthFirst') ?? null;
    waitsForOrder ||= found.includes('unknown');
    for (const { text, most } of all.numbers(aligned)) {
      const sign = decimalSignOf(text);
      if (sign === 'unknown') {
        const likely = decimalSignOf(text, most);
        if (likely === 'unknown') waitsForSign = true;
        else if (likely !== null) likelySigns.add(likely);
      } else if (sign !== null) signs.add(sign);
    }
    if (usedSign !== null && signs.has(usedSign === '.' ? ',' : '.'))
      throw new TableError(`${shownAs}: Line ${line} has another decimal sign than lines before. Write all numbers with one.`);
    held.push({ cells: aligned, line, isEnded });
    if ((order !== null || !waitsForOrder) && (signs.size + likelySigns.size > 0 || !waitsForSign)) giveHeld(all);
  }

  function giveHeld(all: Columns): void {
    const waiting = held;
    held = [];
    for (const { cells, line } of waiting) give?.(createCells({ columns: all, cells, line, order, decimalSign, shownAs }));
  }

  /** Null when unknown: numbers show both signs, or none. A table with commas between its cells has decimal points. */
  function decimalSign(): DecimalSign | null {
    const [sign = null, other] = signs.size > 0 ? signs : likelySigns;
    usedSign = other === undefined ? (sign ?? (rows.separator() === ',' ? '.' : null)) : null;
    return usedSign;
  }
}

/** Reads a whole table. @throws TableError */
export function readTable(content: string | Uint8Array, open: TableOpener, options: ReadOptions): void {
  createTableReader(open, options).push(bytesOf(content), true);
}

interface CellsInput {
  readonly columns: Columns;
  readonly cells: readonly string[];
  readonly line: number;
  readonly order: DayOrder;
  readonly decimalSign: () => DecimalSign | null;
  readonly shownAs: string;
}

/** Longest part of a value that a message shows. */
const MOST_SHOWN = 40;

export type Cells = ReturnType<typeof createCells>;

/** The cells of a row by their columns, each as its type. All throw a TableError for a value that is not understood. */
function createCells({ columns, cells, line, order, decimalSign, shownAs }: CellsInput) {
  const raw = (name: string): string => {
    const cell = cells[columns.at(name)] ?? '';
    return isMissing(cell.trim()) ? '' : cell;
  };
  const text = (name: string): string => raw(name).trim();
  const fail = (name: string, such: string): never => {
    const shown = (cells[columns.at(name)] ?? '').trim().slice(0, MOST_SHOWN);
    throw new TableError(`${shownAs}: Line ${line}: "${shown}" is no ${name}, which ${such}.`);
  };
  const filled = (name: string): string => text(name) || fail(name, 'must not be empty');
  const number = (name: string, least: number, most: number): number => {
    const written = text(name);
    const sign = decimalSignOf(written) === 'unknown' ? decimalSign() : null;
    const values = (sign === null ? DECIMAL_SIGNS : [sign]).map((each) => numberIn(written, each));
    const [value, other] = new Set(values.filter((each) => each >= least && each <= most));
    if (other !== undefined) fail(name, `may be ${value} or ${other}: no other row tells whether point or comma is decimal`);
    return value ?? fail(name, `goes from ${least} to ${most}`);
  };
  return {
    line,
    /** Empty when missing. */
    text,
    filled,
    /** Never empty, and the same in whatever case and with whatever blanks people type it. */
    scientificName(): string {
      const name = filled('Scientific name').replace(/\s+/g, ' ');
      return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
    },
    /** Never empty. File names may begin or end with blanks. */
    path: (name: string): string => (filled(name) ? pathIn(raw(name)) : ''),
    oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
      const found = words.find((word) => word === text(name).toLowerCase());
      return found ?? fail(name, `is ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
    },
    boolean: (name: string): boolean => booleanIn(text(name)) ?? fail(name, 'is true or false'),
    number,
    /** Null when missing. */
    numberOrNull: (name: string, least: number, most: number): number | null =>
      text(name) === '' ? null : number(name, least, most),
    /** An ISO date; empty when missing. */
    day: (name: string): string => text(name) && (dayIn(text(name), order) ?? fail(name, 'looks like 2026-05-01')),
    /** Such as `05:12:44`; empty when missing. */
    time: (name: string): string => text(name) && (timeIn(text(name)) ?? fail(name, 'looks like 05:12:44')),
    /** Milliseconds since 1970; null when missing. */
    instant: (name: string): number | null =>
      text(name) === '' ? null : (instantIn(text(name), order) ?? fail(name, 'looks like 2026-05-01T03:12:44Z')),
    /** @param such how the value should be, after "which" */
    fail,
  };
}
