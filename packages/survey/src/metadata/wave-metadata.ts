import { type BoundedReader, textAt } from './bounded-reader.ts';
import type { Findings } from './findings.ts';
import {
  calendarDate,
  celsiusOf,
  clockTime,
  offsetMinutesOf,
  placeAt,
  placeOfNumbers,
  type WrittenPlace,
  type WrittenTime,
  writtenTime,
} from './written-values.ts';

const MOST_CHUNKS = 64;
const MOST_TEXT = 64 * 1024;
const BEXT_DATE_OFFSET = 256 + 32 + 32;
const BEXT_TIME_OFFSET = BEXT_DATE_OFFSET + 10;

/** Sources of metadata within one file, the most exact first. */
type Origin = 'guano' | 'wamd' | 'audioMoth' | 'bext' | 'info';
const BY_EXACTNESS: readonly Origin[] = ['guano', 'wamd', 'audioMoth', 'bext', 'info'];

interface Fields {
  time?: WrittenTime | null;
  place?: WrittenPlace | null;
  serial?: string | null;
  temperature?: number | null;
}
type FieldsByOrigin = Map<Origin, Fields>;

/**
 * AudioMoth's comment: `Recorded at 05:12:44 01/05/2026 (UTC+2) by AudioMoth 24E144085F256 at medium gain while battery was 4.1V and
 * temperature was 21.5C.`
 */
function readAudioMoth(comment: string): Fields | null {
  const text = comment.slice(0, 1000);
  const found =
    /Recorded at (\d\d):(\d\d):(\d\d)(?:\.\d{1,3})? (\d\d)\/(\d\d)\/(\d{4})(?: \(UTC([+-]\d{1,2}(?::\d\d)?)?\))?/.exec(text);
  if (!found) return null;
  const [zoned, hour, minute, second, day, month, year, offset] = found;
  const date = calendarDate(year, month, day);
  const isZoned = zoned.endsWith(')');
  return {
    time:
      date === null
        ? null
        : { date, time: clockTime(hour, minute, second), offsetMinutes: isZoned ? offsetMinutesOf(offset ?? 'Z') : null },
    serial: /by AudioMoth ([0-9A-F]{8,16})\b/.exec(text)?.[1] ?? null,
    temperature: celsiusOf(/temperature was (-?\d{1,3}(?:\.\d)?)C/.exec(text)?.[1] ?? ''),
  };
}

/** `LIST` of type `INFO`: comment (ICMT) and date of creation (ICRD). */
function readInfo(chunk: DataView<ArrayBuffer>, said: FieldsByOrigin): void {
  if (textAt(chunk, 0, 4) !== 'INFO') return;
  let offset = 4;
  for (let count = 0; count < MOST_CHUNKS && offset + 8 <= chunk.byteLength; count += 1) {
    const size = chunk.getUint32(offset + 4, true);
    const name = textAt(chunk, offset, 4);
    const audioMoth = name === 'ICMT' ? readAudioMoth(textAt(chunk, offset + 8, size)) : null;
    if (audioMoth) said.set('audioMoth', audioMoth);
    if (name === 'ICRD') said.set('info', { time: writtenTime(textAt(chunk, offset + 8, size)) });
    offset += 8 + size + (size % 2);
  }
}

/** GUANO: one `Key: value` per line. Source: guano-md.org, specification 1.0. */
function readGuano(chunk: DataView<ArrayBuffer>): Fields {
  const fields = new Map<string, string>();
  for (const line of textAt(chunk, 0).split('\n', 500)) {
    const colon = line.indexOf(':');
    fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const read = (name: string): string => fields.get(name) ?? '';
  return {
    time: writtenTime(read('Timestamp')),
    place: placeOfNumbers(read('Loc Position')),
    serial: read('Serial').slice(0, 64) || null,
    temperature: celsiusOf(read('Temperature Ext')) ?? celsiusOf(read('Temperature Int')),
  };
}

const WAMD = { serial: 0x02, start: 0x05, position: 0x06, temperatureInside: 0x15, temperatureOutside: 0x16 } as const;

/** Wildlife Acoustics' own format: fields of a number, a length and that many bytes. Source: `wamd2guano.py` of guano-py. */
function readWamd(chunk: DataView<ArrayBuffer>): Fields {
  const fields = new Map<number, string>();
  let offset = 0;
  for (let count = 0; count < MOST_CHUNKS && offset + 6 <= chunk.byteLength; count += 1) {
    const length = chunk.getUint32(offset + 2, true);
    fields.set(chunk.getUint16(offset, true), textAt(chunk, offset + 6, length).trim());
    offset += 6 + length;
  }
  const read = (field: number): string => fields.get(field) ?? '';
  return {
    time: writtenTime(read(WAMD.start)),
    place: wamdPlace(read(WAMD.position)),
    serial: read(WAMD.serial).slice(0, 64) || null,
    temperature: celsiusOf(read(WAMD.temperatureOutside)) ?? celsiusOf(read(WAMD.temperatureInside)),
  };
}

/** `WGS84,50.8357,N,12.9292,W,312` of Song Meters, `WGS84,50.8357,-12.9292` of the Echo Meter. */
function wamdPlace(text: string): WrittenPlace | null {
  const [, first = '', second = '', third = '', fourth = ''] = text.split(',').map((part) => part.trim());
  if (!/^[NS]$/.test(second)) return placeOfNumbers(`${first} ${second}`);
  const [latitude, longitude] = [Number(first || Number.NaN), Number(third || Number.NaN)];
  return placeAt(second === 'S' ? -latitude : latitude, fourth === 'W' ? -longitude : longitude);
}

function readBext(chunk: DataView<ArrayBuffer>): Fields {
  const date = textAt(chunk, BEXT_DATE_OFFSET, 10);
  const [, hour = '', minute = '', second = ''] =
    /^(\d\d)[-:_ .](\d\d)[-:_ .](\d\d)/.exec(textAt(chunk, BEXT_TIME_OFFSET, 8)) ?? [];
  return { time: writtenTime(`${date}T${hour}:${minute}:${second}`) };
}

/**
 * Metadata of RIFF, RF64 and BW64 files by AudioMoth, in GUANO (bat and bird recorders), by Wildlife Acoustics and in `bext` (Zoom, Sony,
 * Tascam).
 */
export async function readWaveMetadata(reader: BoundedReader): Promise<Findings> {
  const said: FieldsByOrigin = new Map();
  let offset = 12;
  let longDataSize = 0;
  for (let count = 0; count < MOST_CHUNKS && offset + 8 <= reader.size; count += 1) {
    const header = await reader.read(offset, 8);
    if (header.byteLength < 8) break;
    const name = textAt(header, 0, 4);
    let size = header.getUint32(4, true);
    const content = (most = MOST_TEXT) => reader.read(offset + 8, Math.min(size, most));
    if (name === 'ds64') {
      const sizes = await content(16);
      if (sizes.byteLength === 16) longDataSize = Number(sizes.getBigUint64(8, true));
    } else if (name === 'LIST') readInfo(await content(), said);
    else if (name === 'guan') said.set('guano', readGuano(await content()));
    else if (name === 'wamd') said.set('wamd', readWamd(await content()));
    else if (name === 'bext') said.set('bext', readBext(await content(BEXT_TIME_OFFSET + 8)));
    else if (name === 'data' && size === 0xffffffff) size = longDataSize;
    offset += 8 + size + (size % 2);
  }
  const first = <Key extends keyof Fields>(key: Key) => {
    for (const origin of BY_EXACTNESS) {
      const value = said.get(origin)?.[key];
      if (value !== null && value !== undefined) return value;
    }
    return null;
  };
  return {
    time: first('time'),
    madeOn: null,
    place: first('place'),
    serial: first('serial'),
    temperature: first('temperature'),
  };
}
