import { type ByteReader, createByteReader, lettersAt } from './byte-reader.ts';
import { dateFromFileName } from './date-from-file-name.ts';
import { type Findings, nothingFound } from './findings.ts';
import { readId3Metadata } from './id3-metadata.ts';
import { readMp4Metadata } from './mp4-metadata.ts';
import { readFlacMetadata, readOggMetadata } from './vorbis-comments.ts';
import { readWaveMetadata } from './wave-metadata.ts';
import type { WrittenPlace } from './written-place.ts';

/** What a recording itself says of when and where it was made. */
export interface RecordingMetadata {
  /** ISO date by the recorder's clock. */
  readonly date: { readonly value: string; readonly from: 'metadata' | 'name' } | null;
  readonly place: WrittenPlace | null;
}

async function readFindings(reader: ByteReader): Promise<Findings> {
  const head = await reader.read(0, 12);
  if (['RIFF', 'RF64', 'BW64'].includes(lettersAt(head, 0, 4)) && lettersAt(head, 8, 4) === 'WAVE')
    return readWaveMetadata(reader);
  if (lettersAt(head, 4, 4) === 'ftyp') return readMp4Metadata(reader);
  if (lettersAt(head, 0, 3) === 'ID3') return readId3Metadata(reader);
  if (lettersAt(head, 0, 4) === 'fLaC') return readFlacMetadata(reader);
  if (lettersAt(head, 0, 4) === 'OggS') return readOggMetadata(reader);
  return nothingFound();
}

/**
 * Reads date and place from a recording's first kilobytes, its end where a format puts them there, or its name. At most 1 MiB in 300
 * pieces is read, whatever the file says about itself. A date written as such goes before that of the name, and that before the
 * day on which the file was made. A file that cannot be read says nothing; sending it will tell.
 */
export async function readRecordingMetadata(file: File): Promise<RecordingMetadata> {
  const { date, madeOn, place } = await readFindings(createByteReader(file)).catch(nothingFound);
  const named = dateFromFileName(file.name);
  if (date === null && named !== null) return { date: { value: named, from: 'name' }, place };
  const value = date ?? madeOn;
  return { date: value === null ? null : { value, from: 'metadata' }, place };
}
