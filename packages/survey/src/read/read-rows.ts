import { parse } from 'csv-parse/browser/esm/sync';

/** Why a table cannot be used; the message is for the user who gave it. */
export class TableError extends Error {
  override readonly name = 'TableError';
}

/** A row of a table, and the line that it ends on. */
export interface Row {
  readonly cells: readonly string[];
  readonly line: number;
}

/** None of our cells is nearly that long; a longer row has lost a quotation mark. */
const LONGEST_ROW = 1_000_000;

/**
 * Streams the rows of a CSV (RFC 4180) of any length, header included. Holds no more than a piece of text and a row.
 *
 * @throws TableError that names the line
 */
export async function* readRows(pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  let rest = '';
  let isFirst = true;
  let line = 0;
  for await (const piece of pieces) {
    const text = rest + (isFirst ? piece.replace(/^\ufeff/, '') : piece);
    isFirst = false;
    const end = endOfRows(text);
    rest = text.slice(end);
    if (rest.length > LONGEST_ROW)
      throw new TableError(`A row that begins on line ${line + 1} has no end: a quotation mark may be missing.`);
    yield* parseRows(text.slice(0, end), line);
    line += lineBreaks(text.slice(0, end));
  }
  yield* parseRows(rest, line);
}

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

const lineBreaks = (text: string): number => text.split('\n').length - 1;

function* parseRows(text: string, linesBefore: number): Generator<Row> {
  let parsed: { record: string[]; info: { lines: number } }[];
  try {
    parsed = parse(text, {
      info: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as typeof parsed;
  } catch (error) {
    const { lines = 1 } = error as { readonly lines?: number };
    throw new TableError(`Line ${linesBefore + lines} can't be read as CSV.`, { cause: error });
  }
  for (const { record, info } of parsed) yield { cells: record, line: linesBefore + info.lines };
}
