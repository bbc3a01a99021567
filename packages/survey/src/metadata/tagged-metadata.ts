import { CustomSource, FLAC, Input, Logging, LogLevel, MP3, MP4, OGG, QTFF } from 'mediabunny';
import { type BoundedReader, textAt } from './bounded-reader.ts';
import type { Findings } from './findings.ts';
import { readAudioMoth } from './wave-metadata.ts';
import { calendarDate, placeOfIso6709, placeOfNumbers, type WrittenTime, writtenTime } from './written-values.ts';

const MOST_BOXES = 64;
/** Seconds from the QuickTime epoch (1904) to 1970. */
const SECONDS_TO_1970 = 2_082_844_800;

// What the library finds odd about a file is not for our users.
Logging.level = LogLevel.Silent;

async function readTags({ size, read }: BoundedReader) {
  const source = new CustomSource({
    getSize: () => size,
    async read(start, end) {
      const bytes = await read(start, end - start);
      if (bytes.byteLength < end - start) throw new RangeError('No more of this file is read');
      return new Uint8Array(bytes.buffer);
    },
  });
  const input = new Input({ source, formats: [MP4, QTFF, MP3, FLAC, OGG] });
  try {
    const { raw = {}, comment } = await input.getMetadataTags();
    const tag = (name: string): string => textsOf(raw[name])[0] ?? '';
    return { tag, texts: textsOf([comment, ...Object.values(raw)]) };
  } finally {
    input.dispose();
  }
}

/** The texts in a tag: one, a list, or by name (ID3's `TXXX`). */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const isList = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  return isList ? Object.values(value).flatMap(textsOf) : [];
}

/** Where the content of a box begins; null when there is no box of that name. */
async function findBox({ size, read }: BoundedReader, name: string, start: number): Promise<number | null> {
  let offset = start;
  for (let count = 0; count < MOST_BOXES && offset + 8 <= size; count += 1) {
    const header = await read(offset, 16);
    if (header.byteLength < 8) return null;
    const short = header.getUint32(0);
    const headerSize = short === 1 ? 16 : 8;
    if (textAt(header, 4, 4) === name) return offset + headerSize;
    const length = short === 1 && header.byteLength === 16 ? Number(header.getBigUint64(8)) : short;
    if (length < headerSize) return null;
    offset += length;
  }
  return null;
}

/** When an MP4 was made, in milliseconds since 1970. */
async function readMoment(reader: BoundedReader): Promise<number | null> {
  const movie = await findBox(reader, 'moov', 0);
  const header = movie === null ? null : await findBox(reader, 'mvhd', movie);
  if (header === null) return null;
  const content = await reader.read(header, 12);
  if (content.byteLength < 12) return null;
  const seconds = content.getUint8(0) === 1 ? Number(content.getBigUint64(4)) : content.getUint32(4);
  return (seconds - SECONDS_TO_1970) * 1000;
}

/** What the tags of phones, iTunes, ID3, Vorbis comments, BAR-LTs and AudioMoths state, and the moment at which an MP4 was made. */
export async function readTaggedMetadata(reader: BoundedReader): Promise<Findings> {
  const madeAtMs = await readMoment(reader);
  const { tag, texts } = await readTags(reader).catch(() => ({ tag: () => '', texts: [] }));
  // Programs keep an AudioMoth's comment under many names.
  const audioMoth = texts.map(readAudioMoth).find((found) => found !== null);
  const day = tag('TDAT'); // ID3v2.3: day and month, separate from the year
  const times = ['©day', 'com.apple.quicktime.creationdate', 'RECORDINGSTART', 'TDRC', 'DATE'].map((name) =>
    writtenTime(tag(name)),
  );
  const places = ['©xyz', 'com.apple.quicktime.location.ISO6709', 'SENSORLOCATION', 'GEO_LOCATION', 'LOCATION'].map(
    (name) => placeOfIso6709(tag(name)) ?? placeOfNumbers(tag(name)),
  );
  const byYearAndDay = calendarDate(tag('TYER').slice(0, 4), day.slice(2, 4), day.slice(0, 2));
  const time: WrittenTime | null = audioMoth?.time ?? times.find((found) => found !== null) ?? dayAlone(byYearAndDay);
  return {
    ...{ time, madeAtMs, place: places.find((found) => found !== null) ?? null },
    ...{ serial: audioMoth?.serial ?? (tag('SENSORUID') || null), temperature: audioMoth?.temperature ?? null },
    notes: [],
  };
}

const dayAlone = (date: string | null): WrittenTime | null => (date === null ? null : { date, time: null, offsetMinutes: null });
