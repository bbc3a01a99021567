import { createBoundedReader, textAt } from './bounded-reader.ts';
import { readWaveMetadata } from './wave-metadata.ts';
import { dateFromFileName, type WrittenPlace } from './written-values.ts';

/** What a recording itself says of when and where it was made. */
export interface RecordingMetadata {
  /** ISO date by the recorder's clock. */
  readonly date: { readonly value: string; readonly from: 'metadata' | 'name' } | null;
  readonly place: WrittenPlace | null;
}

export interface Findings {
  /** ISO date that the recorder wrote as such. */
  date: string | null;
  /** ISO date on which the file was made, which may be that of a later copy: believed last. */
  madeOn: string | null;
  place: WrittenPlace | null;
}

const MOST_WAVE_BYTES = 1024 * 1024;
/** Of an MP4, the whole index is read: that of ten hours has some megabytes. */
const MOST_TAGGED_BYTES = 16 * 1024 * 1024;

async function readFindings(file: File): Promise<Findings> {
  const wave = createBoundedReader(file, MOST_WAVE_BYTES);
  const head = await wave.read(0, 12);
  if (['RIFF', 'RF64', 'BW64'].includes(textAt(head, 0, 4)) && textAt(head, 8) === 'WAVE') return readWaveMetadata(wave);
  const { readTaggedMetadata } = await import('./tagged-metadata.ts');
  return readTaggedMetadata(createBoundedReader(file, MOST_TAGGED_BYTES));
}

/** Date and place by what a recording says of itself: a date written as such, else that of its name, else when it was made. Never rejects. */
export async function readRecordingMetadata(file: File): Promise<RecordingMetadata> {
  const { date, madeOn, place } = await readFindings(file).catch(() => ({ date: null, madeOn: null, place: null }));
  const named = dateFromFileName(file.name);
  if (date === null && named !== null) return { date: { value: named, from: 'name' }, place };
  const value = date ?? madeOn;
  return { date: value === null ? null : { value, from: 'metadata' }, place };
}
