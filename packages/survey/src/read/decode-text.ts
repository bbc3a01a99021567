import { type ReadOptions, TableError } from './table-error.ts';

/** No row of a table is nearly that long; a longer one has lost a quotation mark, or the file is no text. */
export const LONGEST_ROW = 1_000_000;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Decodes a text as its bytes arrive: UTF-8 and UTF-16, with or without a mark, or else Windows-1252, as most spreadsheets write it.
 * Other encodings cannot be told from that, so the note shows a word. Gives whole lines, each ended with `\n`.
 *
 * @throws TableError for bytes that are no text
 */
export function createTextDecoder({ shownAs, note }: ReadOptions): (piece: Uint8Array, isLast: boolean) => string {
  let held: Uint8Array = new Uint8Array(0);
  /** undefined before the first bytes, null for encodings with one byte for a line end */
  let utf16: Decoder | null | undefined;
  let isWindows = false;
  /** whether there was a character that only UTF-8 writes so */
  let isUtf8 = false;
  let isAfterReturn = false;

  return (piece, isLast) => {
    const bytes = held.length === 0 ? piece : joined(held, piece);
    if (utf16 === undefined && (isLast || bytes.length >= 4)) utf16 = utf16Of(bytes, shownAs);
    const lines = endOfLines(bytes);
    const end = isLast || (lines === 0 && bytes.length > LONGEST_ROW) ? bytes.length : lines;
    held = new Uint8Array(0);
    if (utf16) return withLineFeeds(utf16.decode(bytes, { stream: !isLast }));
    held = bytes.slice(utf16 === undefined ? 0 : end);
    return utf16 === undefined ? '' : withLineFeeds(decode(bytes.subarray(0, end), isLast));
  };

  /** A line end may be cut in two: the second half of `\r\n` is then no line end of its own. */
  function withLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    isAfterReturn = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n');
  }

  function decode(bytes: Uint8Array, isLast: boolean): string {
    if (isWindows) return windows.decode(bytes);
    try {
      const text = strict.decode(bytes);
      isUtf8 ||= /[^\p{ASCII}]/u.test(text);
      return text;
    } catch {
      const text = lax.decode(bytes);
      isUtf8 ||= /[^\p{ASCII}\ufffd]/u.test(text);
      // The last character of a file that a killed program was writing.
      if (isUtf8 && isLast && text.indexOf('\ufffd') === text.length - 1) return text;
      if (isUtf8) throw new TableError(`${shownAs} has text in UTF-8 and in another encoding. Save it as CSV UTF-8.`);
      isWindows = true;
      const read = windows.decode(bytes);
      const [word] = /[\p{L}\p{N}]*[^\P{L}\p{ASCII}][\p{L}\p{N}]*/u.exec(read) ?? /[^\p{ASCII}]/u.exec(read) ?? [];
      note(
        `${shownAs} is not UTF-8; it is read as Windows-1252, which gives “${word}”. If that is wrong, so are other names: save it as CSV UTF-8.`,
      );
      return read;
    }
  }
}

type Decoder = InstanceType<typeof TextDecoder>;

const strict = new TextDecoder('utf-8', { fatal: true });
const lax = new TextDecoder('utf-8');
const windows = new TextDecoder('windows-1252');

/** By its mark, or by the empty half of the first letter; null for other encodings. */
function utf16Of([first, second, third, fourth]: Uint8Array, shownAs: string): Decoder | null {
  if (first === 0x50 && second === 0x4b && third === 3 && fourth === 4)
    throw new TableError(`${shownAs} is a workbook or an archive, not a text. Save the sheet as CSV.`);
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return new TextDecoder('utf-16le');
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? new TextDecoder('utf-16be') : null;
}

const endOfLines = (bytes: Uint8Array): number => Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN)) + 1;

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
