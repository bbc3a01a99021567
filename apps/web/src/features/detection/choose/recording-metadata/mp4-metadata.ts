import { type ByteReader, lettersAt, numberAt, textOf } from './byte-reader.ts';
import { type Findings, nothingFound } from './findings.ts';
import { calendarDate, writtenDate } from './written-date.ts';
import { placeOfIso6709 } from './written-place.ts';

interface Box {
  readonly name: string;
  /** Where its content begins and ends. */
  readonly start: number;
  readonly end: number;
}

const mostBoxes = 64;
const mostText = 4096;
/** Seconds from 1904, where QuickTime's time begins, to 1970. */
const secondsTo1970 = 2_082_844_800;

/** The boxes that lie side by side in a stretch of the file. */
async function boxesIn(reader: ByteReader, start: number, end: number): Promise<readonly Box[]> {
  const boxes: Box[] = [];
  let offset = start;
  while (boxes.length < mostBoxes && offset + 8 <= end) {
    const header = await reader.read(offset, 16);
    if (header.length < 8) break;
    const short = numberAt(header, 0, 4, 'big');
    const headerSize = short === 1 ? 16 : 8;
    const size = short === 0 ? end - offset : short === 1 ? numberAt(header, 8, 8, 'big') : short;
    if (size < headerSize) break;
    boxes.push({ name: lettersAt(header, 4, 4), start: offset + headerSize, end: Math.min(end, offset + size) });
    offset += size;
  }
  return boxes;
}

const contentOf = (reader: ByteReader, { start, end }: Box): Promise<Uint8Array> =>
  reader.read(start, Math.min(end - start, mostText));

/** The date of a moment as this device's clock shows it: people mostly ask where they recorded. */
function localDate(secondsSince1904: number): string | null {
  if (secondsSince1904 <= secondsTo1970) return null;
  const moment = new Date((secondsSince1904 - secondsTo1970) * 1000);
  if (Number.isNaN(moment.getTime())) return null;
  const two = (value: number) => String(value).padStart(2, '0');
  return calendarDate(String(moment.getFullYear()), two(moment.getMonth() + 1), two(moment.getDate()));
}

function take(key: string, text: string, findings: Findings): void {
  if (key === '©day' || key === 'com.apple.quicktime.creationdate') findings.date ??= writtenDate(text);
  if (key === '©xyz' || key === 'com.apple.quicktime.location.ISO6709') findings.place ??= placeOfIso6709(text);
}

/** Names of `keys`, in the order by which `ilst` refers to them. */
function readKeys(content: Uint8Array): readonly string[] {
  const names: string[] = [];
  let offset = 8;
  while (names.length < mostBoxes && offset + 8 <= content.length) {
    const size = numberAt(content, offset, 4, 'big');
    if (size < 8) break;
    names.push(textOf(content.subarray(offset + 8, offset + size)));
    offset += size;
  }
  return names;
}

/** `meta`: values by four-letter code (iTunes) or by the number of a key (QuickTime). */
async function readMeta(reader: ByteReader, meta: Box, findings: Findings): Promise<void> {
  // In MP4 a version stands before the boxes, in QuickTime it does not.
  const isBare = lettersAt(await reader.read(meta.start + 4, 4), 0, 4) === 'hdlr';
  const parts = await boxesIn(reader, meta.start + (isBare ? 0 : 4), meta.end);
  const keysBox = parts.find(({ name }) => name === 'keys');
  const keys = keysBox ? readKeys(await contentOf(reader, keysBox)) : [];
  const list = parts.find(({ name }) => name === 'ilst');
  for (const item of list ? await boxesIn(reader, list.start, list.end) : []) {
    const index = [...item.name].reduce((value, letter) => value * 256 + letter.charCodeAt(0), 0);
    const key = keys[index - 1] ?? item.name;
    if (!['©day', '©xyz'].includes(key) && !key.startsWith('com.apple.quicktime.')) continue;
    const [data] = await boxesIn(reader, item.start, item.end);
    if (data?.name === 'data') take(key, textOf((await contentOf(reader, data)).subarray(8)), findings);
  }
}

/** MP4, M4A, MOV: the place and day that phones write, and when the file was made. `moov` may stand at either end. */
export async function readMp4Metadata(reader: ByteReader): Promise<Findings> {
  const findings = nothingFound();
  const movie = (await boxesIn(reader, 0, reader.size)).find(({ name }) => name === 'moov');
  for (const box of movie ? await boxesIn(reader, movie.start, movie.end) : []) {
    if (box.name === 'mvhd') {
      const content = await contentOf(reader, box);
      findings.madeOn = localDate(numberAt(content, 4, content[0] === 1 ? 8 : 4, 'big'));
    }
    if (box.name === 'meta') await readMeta(reader, box, findings);
    if (box.name !== 'udta') continue;
    for (const datum of await boxesIn(reader, box.start, box.end)) {
      if (datum.name === 'meta') await readMeta(reader, datum, findings);
      // QuickTime's own texts: length and language, then the text.
      else if (datum.name.startsWith('©')) take(datum.name, textOf((await contentOf(reader, datum)).subarray(4)), findings);
    }
  }
  return findings;
}
