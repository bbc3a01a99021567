import type { WaveChunks } from '@chiffchaff/recognizer/audio';
import { type BoundedReader, textAt } from './bounded-reader.ts';
import type { Findings } from './findings.ts';
import {
  calendarDate,
  celsiusOf,
  clockTime,
  offsetMinutesOf,
  placeOfNumbers,
  type WrittenPlace,
  type WrittenTime,
  writtenTime,
} from './written-values.ts';

const MOST_FIELDS = 64;
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
 * temperature was 21.5C.` Firmware 1.0 states no time zone and always recorded in UTC. Programs keep it in files of other formats.
 */
export function readAudioMoth(comment: string): Fields | null {
  const text = comment.slice(0, 1000);
  const found =
    /Recorded at (\d\d):(\d\d):(\d\d)(?:\.\d{1,3})? (\d\d)\/(\d\d)\/(\d{4})(?: \((UTC)?([+-]\d{1,2}(?::\d\d)?)?.*?\))?/.exec(
      text,
    );
  if (!found) return null;
  const [zoned, hour, minute, second, day, month, year, utc, offset] = found;
  const date = calendarDate(year, month, day);
  const isOther = zoned.endsWith(')') && utc === undefined;
  return {
    time:
      date === null
        ? null
        : { date, time: clockTime(hour, minute, second), offsetMinutes: isOther ? null : offsetMinutesOf(offset ?? 'Z') },
    serial: audioMothIn(text),
    temperature: celsiusOf(/temperature was (-?\d{1,3}(?:\.\d)?)C/.exec(text)?.[1] ?? ''),
  };
}

const audioMothIn = (text: string): string | null => /AudioMoth ([0-9A-F]{8,16})\b/.exec(text)?.[1] ?? null;

/** `LIST` of type `INFO`: comment (ICMT), artist (IART: `AudioMoth 24E144085F256`) and date of creation (ICRD). */
function readInfo(chunk: DataView<ArrayBuffer>, said: FieldsByOrigin): void {
  if (textAt(chunk, 0, 4) !== 'INFO') return;
  let offset = 4;
  for (let count = 0; count < MOST_FIELDS && offset + 8 <= chunk.byteLength; count += 1) {
    const size = chunk.getUint32(offset + 4, true);
    const name = textAt(chunk, offset, 4);
    const text = textAt(chunk, offset + 8, size);
    const audioMoth = name === 'ICMT' ? readAudioMoth(text) : null;
    if (audioMoth) said.set('audioMoth', audioMoth);
    if (name === 'ICRD') said.set('info', { ...said.get('info'), time: writtenTime(text) });
    if (name === 'IART') said.set('info', { ...said.get('info'), serial: audioMothIn(text) });
    const end = offset + 8 + size;
    // Some do not pad odd fields.
    offset = size % 2 === 1 && end < chunk.byteLength && chunk.getUint8(end) === 0 ? end + 1 : end;
  }
}

/** GUANO: one `Key: value` per line. Source: guano-md.org, specification 1.0. */
function readGuano(chunk: DataView<ArrayBuffer>): Fields {
  const text = textAt(chunk, 0);
  const find = (name: string) => new RegExp(`^(?:${name})\\s*:(.*)$`, 'im').exec(text)?.[1]?.trim();
  /** A field by its name, also a maker's own: `Serial`, `PET|Serial`. */
  const read = (name: string): string => find(name) ?? find(`[^:\\n]*\\|(?:${name})`) ?? '';
  return {
    time: writtenTime(read('Timestamp')),
    place: placeOfNumbers(read('Loc Position')),
    serial: read('(?:Device )?Serial(?: Number| No\\.?)?|Device ID').slice(0, 64) || null,
    temperature: celsiusOf(read('Temperature Ext')) ?? celsiusOf(read('Temperature Int')),
  };
}

const WAMD = { serial: 0x02, start: 0x05, position: 0x06, temperatureInside: 0x15, temperatureOutside: 0x16 } as const;

/** Wildlife Acoustics' own format: fields of a number, a length and that many bytes. Source: `wamd2guano.py` of guano-py. */
function readWamd(chunk: DataView<ArrayBuffer>): Fields {
  const fields = new Map<number, string>();
  let offset = 0;
  for (let count = 0; count < MOST_FIELDS && offset + 6 <= chunk.byteLength; count += 1) {
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
  const parts = text.split(',').slice(1);
  return placeOfNumbers(parts.slice(0, /[NS]/.test(parts[1] ?? '') ? 4 : 2).join(' '));
}

function readBext(chunk: DataView<ArrayBuffer>): Fields {
  // Some write the year with two digits.
  const date = textAt(chunk, BEXT_DATE_OFFSET, 10)
    .trim()
    .replace(/^(?=\d\d\D\d\d\D\d\d$)/, '20');
  const [, hour = '', minute = '', second = ''] =
    /^(\d\d)[-:_ .](\d\d)[-:_ .](\d\d)/.exec(textAt(chunk, BEXT_TIME_OFFSET, 8)) ?? [];
  return { time: writtenTime(`${date}T${hour}:${minute}:${second}`) };
}

/** The fields of one chunk, and those that it lacks from an earlier one. */
const merged = (fields: Fields, earlier: Fields = {}): Fields => ({
  ...earlier,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
});

/**
 * Metadata of RIFF, RF64 and BW64 files by AudioMoth, in GUANO (bat and bird recorders), by Wildlife Acoustics and in `bext` (Zoom, Sony,
 * Tascam).
 */
export async function readWaveMetadata({ read }: BoundedReader, { chunks, isWrong, isTriggered }: WaveChunks): Promise<Findings> {
  const said: FieldsByOrigin = new Map();
  for (const { name, offset, length } of chunks) {
    const content = (most = MOST_TEXT) => read(offset, Math.min(length, most));
    if (name === 'LIST') readInfo(await content(), said);
    // Programs append notes of any length, in any order.
    else if (name === 'guan') said.set('guano', merged(readGuano(await content(length)), said.get('guano')));
    else if (name === 'wamd') said.set('wamd', readWamd(await content()));
    else if (name === 'bext') said.set('bext', readBext(await content(BEXT_TIME_OFFSET + 8)));
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
    madeAtMs: null,
    place: first('place'),
    serial: first('serial'),
    temperature: first('temperature'),
    notes: [...(isWrong ? (['WRONG_HEADER'] as const) : []), ...(isTriggered ? (['TRIGGERED'] as const) : [])],
  };
}
