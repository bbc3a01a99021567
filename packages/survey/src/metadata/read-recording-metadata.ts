import type { FileNote } from '@chiffchaff/contract';
import { readWaveChunks } from '@chiffchaff/recognizer/audio';
import { type ByteSource, createBoundedReader } from './bounded-reader.ts';
import { placeFromFileName, recorderFromFileName, timeFromFileName } from './file-names.ts';
import type { Findings } from './findings.ts';
import { readWaveMetadata } from './wave-metadata.ts';
import type { WrittenPlace, WrittenTime } from './written-values.ts';

/** The day and place that a recording states. */
export interface DateAndPlace {
  /** ISO date by the recorder's clock. */
  readonly date: { readonly value: string; readonly from: 'metadata' | 'name' } | null;
  readonly place: WrittenPlace | null;
}

/** What a recording states about when, where and by what it was made. */
export interface RecordingMetadata extends DateAndPlace {
  /** Its start, `05:12:44` by the recorder's clock. */
  readonly time: string | null;
  /** minutes that this clock was ahead of UTC; null when not stated */
  readonly offsetMinutes: number | null;
  /** Serial number, and what precedes the date in the file's name: a list of sites may use either for the recorder. */
  readonly recorders: readonly string[];
  /** °C; outside the case if both are known */
  readonly temperature: number | null;
  readonly notes?: readonly FileNote[];
  /** Its time is that at which the file was made. */
  readonly isTimeOfFile?: boolean;
}

const NOTHING: Findings = { time: null, madeAtMs: null, place: null, serial: null, temperature: null, notes: [] };
/** Some recorders start at 2000 when their clock was never set. */
const FIRST_USUAL_MS = Date.UTC(2005, 0);
const DAY_MS = 24 * 3600 * 1000;
/** No time zones are further apart: one of the clocks is wrong. */
const FAR_MS = 2 * DAY_MS;
const MOST_WAVE_BYTES = 1024 * 1024;
/** Of an MP4, the whole index is read; for ten hours it has some megabytes. */
const MOST_TAGGED_BYTES = 16 * 1024 * 1024;

/** Reads the tags of a file that is no WAV file, in this thread. @param source null: only loads the parser */
export async function readTags(source: ByteSource | null): Promise<Findings> {
  const { readTaggedMetadata } = await import('./tagged-metadata.ts');
  return source ? readTaggedMetadata(createBoundedReader(source, MOST_TAGGED_BYTES)) : NOTHING;
}

async function readFindings(source: ByteSource, readOwnTags: () => Promise<Findings>): Promise<Findings> {
  if (source.size === 0) return NOTHING;
  const wave = createBoundedReader(source, MOST_WAVE_BYTES);
  const chunks = await readWaveChunks(wave.size, async (offset, length) => {
    const { buffer, byteOffset, byteLength } = await wave.read(offset, length);
    return new Uint8Array(buffer, byteOffset, byteLength);
  });
  return chunks ? readWaveMetadata(wave, chunks) : readOwnTags();
}

/**
 * Time, place and recorder that a recording states. The time is an explicit one unless its name says one that is days away, else that
 * of its name, else the moment at which the file was made. Never rejects.
 *
 * @param name of the file
 * @param options.minutesAhead of UTC, of the clock by which to give the moment at which a file was made; by default UTC
 * @param options.readOwnTags reads its tags within limits (`createTagReader`); when it rejects, they count as missing
 */
export async function readRecordingMetadata(
  name: string,
  source: ByteSource,
  {
    nowMs = Date.now(),
    minutesAhead = () => 0,
    readOwnTags = () => readTags(source),
  }: { nowMs?: number; minutesAhead?: (atMs: number) => number; readOwnTags?: () => Promise<Findings> } = {},
): Promise<RecordingMetadata> {
  const {
    time: stated,
    madeAtMs,
    place,
    serial,
    temperature,
    notes,
  } = await readFindings(source, readOwnTags).catch(() => NOTHING);
  const named = timeFromFileName(name);
  const isUsualMs = (atMs: number) => atMs >= FIRST_USUAL_MS && atMs < nowMs + DAY_MS;
  const isUsual = ({ date }: WrittenTime) => isUsualMs(Date.parse(date));
  const isFar = stated && named && Math.abs(Date.parse(stated.date) - Date.parse(named.date)) > FAR_MS;
  // A name's day alone may be that of an export, or a number.
  const isWrong = stated && named && isUsual(named) && (!isUsual(stated) || (isFar && named.time !== null));
  const time = isWrong ? null : stated;
  // The header may have only the day where the name also has the time.
  const isNamed = named !== null && (time === null || (time.time === null && time.date === named.date));
  const made = madeAtMs !== null && isUsualMs(madeAtMs) ? timeAt(madeAtMs, minutesAhead(madeAtMs)) : null;
  const chosen = isNamed ? named : (time ?? made);
  const from = isNamed && time === null ? 'name' : 'metadata';
  const doubts: FileNote[] = chosen && !isUsual(chosen) ? ['DAY_DOUBTFUL'] : [];
  const farApart = time === null ? 'DAY_OF_NAME' : 'DAY_OF_HEADER';
  const prefix = recorderFromFileName(name);
  return {
    date: chosen && { value: chosen.date, from },
    place: place ?? placeFromFileName(name),
    time: chosen?.time ?? null,
    offsetMinutes: chosen?.offsetMinutes ?? null,
    recorders: [...new Set([serial, prefix].filter((each) => each !== null))],
    temperature,
    notes: [
      ...notes,
      ...(isFar || isWrong ? ([farApart] as const) : doubts),
      ...(/\d{6}T\.[^.]+$/.test(name) && !notes.includes('TRIGGERED') ? (['NOT_EXPANDED'] as const) : []),
    ],
    isTimeOfFile: chosen !== null && chosen === made,
  };
}

/** Minutes that this device's clock is ahead of UTC: on the page, most people are where they recorded. */
export const minutesAheadHere = (atMs: number): number => -new Date(atMs).getTimezoneOffset();

function timeAt(epochMs: number, offsetMinutes: number): WrittenTime {
  const [date = '', time = ''] = new Date(epochMs + offsetMinutes * 60_000).toISOString().split(/[T.]/);
  return { date, time, offsetMinutes };
}
