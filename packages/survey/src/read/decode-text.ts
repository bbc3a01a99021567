import { type ReadOptions, TableError } from './table-error.ts';

/** No row of a table is nearly that long; a longer one has lost a quotation mark, or the file is no text. */
export const LONGEST_ROW = 1_000_000;

/** Words that show how a text was read: one may be right by chance. */
const WORDS_SHOWN = 3;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Decodes a text as its bytes arrive: UTF-8 and UTF-16, with or without a mark, or else Windows-1252, as most spreadsheets write it.
 * Other encodings cannot be told from that, so the note shows words. Gives whole lines, each ended with `\n`.
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
      const words = new Set(read.match(/[a-z0-9]*[^\p{ASCII}](?:[a-z0-9]|[^\p{ASCII}])*/giu));
      const shown = [...words].slice(0, WORDS_SHOWN).join(', ');
      note(
        `${shownAs} is not UTF-8; it is read as Windows-1252, which gives “${shown}”. If that is wrong, so are other names: save it as CSV UTF-8.`,
      );
      return read;
    }
  }
}

/**
 * The encoding of a file, as `createTextDecoder` finds it, for those who add to the file. A mark stays in the text. `encode` throws a
 * TableError for text that the encoding does not have.
 */
export function encodingOf(bytes: Uint8Array, shownAs: string) {
  const utf16 = utf16Of(bytes, shownAs);
  const name = utf16?.encoding ?? (isUtf8(bytes.subarray(0, endOfLines(bytes))) ? 'utf-8' : 'windows-1252');
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  return { decode: (all: Uint8Array): string => decoder.decode(all), encode };

  function encode(text: string): Uint8Array {
    if (name === 'utf-8') return new TextEncoder().encode(text);
    if (utf16) {
      const view = new DataView(new ArrayBuffer(2 * text.length));
      for (let at = 0; at < text.length; at += 1) view.setUint16(2 * at, text.charCodeAt(at), name === 'utf-16le');
      return new Uint8Array(view.buffer);
    }
    const known = new Map(Array.from({ length: 256 }, (_, byte) => [windows.decode(Uint8Array.of(byte)), byte]));
    return Uint8Array.from(text, (sign) => {
      const byte = known.get(sign);
      if (byte === undefined)
        throw new TableError(`${shownAs} is in Windows-1252, which has no “${sign}”. Save it as CSV UTF-8.`);
      return byte;
    });
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
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
