import { parse } from 'csv-parse/browser/esm/sync';
import { createTextDecoder, LONGEST_ROW } from './decode-text.ts';
import { type ReadOptions, TableError } from './table-error.ts';

/** A row of a table that is not blank, with the number of its last line. */
export interface Row {
  readonly cells: readonly string[];
  readonly line: number;
  /** False for a last row without a line end: it may be incomplete. */
  readonly isEnded: boolean;
}

/**
 * Splits a table into rows as its bytes arrive: in any encoding and with any line ends (`decode-text.ts`), separated by commas, semicolons or
 * tabs, or by what a first line such as `sep=;` says. Text is in Unicode's form NFC, so that equal names are equal. Leaves out blank rows.
 * Holds no more than a piece and a row.
 */
export function createRowReader(options: ReadOptions) {
  const { shownAs, note, mayBeTorn = false, trims = false } = options;
  const decode = createTextDecoder(options);
  let rest = '';
  let line = 0;
  let separator: string | null = null;

  return {
    /** What separates cells; null before the first row. */
    separator: () => separator,
    /** @throws TableError that names the line */
    push(piece: Uint8Array, isLast: boolean): Row[] {
      rest += decode(piece, isLast);
      while (separator === null) {
        const end = rest.indexOf('\n');
        if (end < 0 && (!isLast || rest === '')) return isLast ? [] : unfinished();
        findSeparator(end < 0 ? rest : rest.slice(0, end));
      }
      const end = endOfRows(rest);
      const whole = rest.slice(0, end);
      rest = rest.slice(end);
      const rows = parseRows(whole, true);
      if (!isLast) return [...rows, ...unfinished()];
      return rest === '' ? rows : [...rows, ...lastRow()];
    },
  };

  /** A first line that is blank or names the separator is no row. */
  function findSeparator(first: string): void {
    const [, named] = /^"?sep=([^"]?)"?[\s,;]*$/i.exec(first) ?? [];
    if (named === undefined && !isBlank(first.split(/[,;"]/))) separator ??= likelySeparator(first);
    else {
      separator = named || null;
      rest = rest.slice(first.length + 1);
      line += 1;
    }
  }

  function unfinished(): [] {
    if (rest.length > LONGEST_ROW) failAtEnd();
    return [];
  }

  function failAtEnd(): never {
    throw new TableError(`${shownAs}: A row that begins on line ${line + 1} has no end: a quotation mark may be missing.`);
  }

  function lastRow(): Row[] {
    if (rest.split('"').length % 2 === 1) return parseRows(rest, false);
    if (!mayBeTorn) failAtEnd();
    note(tornNote(shownAs));
    return [];
  }

  function parseRows(text: string, isEnded: boolean): Row[] {
    let parsed: { record: string[]; info: { lines: number } }[];
    const before = line;
    line += text.split('\n').length - 1;
    try {
      parsed = parse(text.normalize('NFC'), {
        delimiter: separator ?? ',',
        info: true,
        record_delimiter: '\n',
        relax_column_count: true,
        relax_quotes: trims,
        skip_empty_lines: true,
        trim: trims,
      }) as unknown as typeof parsed;
    } catch (error) {
      const { lines = 1 } = error as { readonly lines?: number };
      throw new TableError(`${shownAs}: Line ${before + lines} can't be read as CSV.`, { cause: error });
    }
    return parsed
      .filter(({ record }) => !isBlank(record))
      .map(({ record, info }) => ({ cells: record, line: before + info.lines, isEnded }));
  }
}

/** All rows of a whole table. @throws TableError that names the line */
export const readRows = (content: string | Uint8Array, options: ReadOptions): Row[] =>
  createRowReader(options).push(bytesOf(content), true);

export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

export const tornNote = (shownAs: string): string => `The last line of ${shownAs} is incomplete and is left out.`;

/** Where the last whole row ends; a line break inside quotation marks does not end a row. */
export function endOfRows(text: string): number {
  let isQuoted = false;
  let end = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) isQuoted = !isQuoted;
    else if (code === 10 && !isQuoted) end = index + 1;
  }
  return end;
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** The one that a header has most of, outside quotation marks. */
function likelySeparator(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (sign: string): number => bare.split(sign).length - 1;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}
