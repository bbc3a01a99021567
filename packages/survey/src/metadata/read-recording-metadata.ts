import { type ByteSource, createBoundedReader, textAt } from './bounded-reader.ts';
import { placeFromFileName, recorderFromFileName, timeFromFileName } from './file-names.ts';
import type { Findings } from './findings.ts';
import { readWaveMetadata } from './wave-metadata.ts';
import type { WrittenPlace } from './written-values.ts';

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
}

const NOTHING: Findings = { time: null, madeOn: null, place: null, serial: null, temperature: null };
const MOST_WAVE_BYTES = 1024 * 1024;
/** Of an MP4, the whole index is read; for ten hours it has some megabytes. */
const MOST_TAGGED_BYTES = 16 * 1024 * 1024;

async function readFindings(source: ByteSource): Promise<Findings> {
  const wave = createBoundedReader(source, MOST_WAVE_BYTES);
  const head = await wave.read(0, 12);
  if (['RIFF', 'RF64', 'BW64'].includes(textAt(head, 0, 4)) && textAt(head, 8) === 'WAVE') return readWaveMetadata(wave);
  const { readTaggedMetadata } = await import('./tagged-metadata.ts');
  return readTaggedMetadata(createBoundedReader(source, MOST_TAGGED_BYTES));
}

/**
 * Time, place and recorder that a recording states. The time is an explicit one, else that of its name, else the day that the file was
 * made. Never rejects.
 *
 * @param name of the file
 */
export async function readRecordingMetadata(name: string, source: ByteSource): Promise<RecordingMetadata> {
  const { time, madeOn, place, serial, temperature } = await readFindings(source).catch(() => NOTHING);
  const named = timeFromFileName(name);
  // The header may have only the day where the name also has the time.
  const isNamed = named !== null && (time === null || (time.time === null && time.date === named.date));
  const chosen = isNamed ? named : time;
  const from = isNamed && time === null ? 'name' : 'metadata';
  const value = chosen?.date ?? madeOn;
  const prefix = recorderFromFileName(name);
  return {
    date: value === null ? null : { value, from },
    place: place ?? placeFromFileName(name),
    time: chosen?.time ?? null,
    offsetMinutes: chosen?.offsetMinutes ?? null,
    recorders: [...new Set([serial, prefix].filter((each) => each !== null))],
    temperature,
  };
}
