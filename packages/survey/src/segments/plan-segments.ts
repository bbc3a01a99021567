import { share } from '@chiffchaff/contract';
import type { ListedDetection } from '../read/listed-detection.ts';
import { csvLine } from '../tables/csv.ts';
import { safeName } from './safe-name.ts';

export interface SegmentShape {
  /** length of each segment; with padding, the least length */
  readonly seconds: number;
  /** how much before and after the whole detection; null: `seconds` around its middle */
  readonly padding: number | null;
}

/** A segment to be cut. */
export interface PlannedSegment {
  readonly detection: ListedDetection;
  /** in the recording */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** two parts, the species' folder and the file's name: valid in every file system, and unique in this plan */
  readonly folder: string;
  readonly fileName: string;
}

/**
 * Decides for each detection what to cut and how to name it. A segment that would begin before its recording or, if the length is known,
 * end after it is shifted into it.
 *
 * @param lengths seconds of recordings, by their names in the table
 * @param extension of the files
 */
export function planSegments(
  chosen: readonly ListedDetection[],
  shape: SegmentShape,
  { lengths, extension }: { readonly lengths: ReadonlyMap<string, number>; readonly extension: string },
): readonly PlannedSegment[] {
  const taken = new Set<string>();
  return chosen.map((detection) => {
    const stretch = stretchOf(detection, shape, lengths.get(detection.file) ?? Number.POSITIVE_INFINITY);
    const { scientificName, commonName } = detection;
    const folder = safeName(commonName === '' ? scientificName : `${scientificName}_${commonName}`, 120);
    const name = `${detection.confidence.toFixed(3)}_${safeName(stemOf(detection.file), 100)}_${secondsShown(stretch.startSeconds)}s`;
    let fileName = `${name}.${extension}`;
    // Recorders restart their counters on every card, so names repeat.
    for (let copy = 2; taken.has(key(folder, fileName)); copy += 1) fileName = `${name}_${copy}.${extension}`;
    taken.add(key(folder, fileName));
    return { detection, ...stretch, folder, fileName };
  });
}

/** Many file systems treat upper and lower case as equal, and also the different encodings of an accent. */
const key = (folder: string, name: string): string => `${folder}/${name}`.normalize('NFKC').toLowerCase();

function stretchOf({ startSeconds, endSeconds }: ListedDetection, { seconds, padding }: SegmentShape, length: number) {
  const middle = (startSeconds + endSeconds) / 2;
  const wanted = padding === null ? seconds : Math.max(seconds, endSeconds - startSeconds + 2 * padding);
  const start = Math.max(0, Math.min(middle - wanted / 2, length - wanted));
  return { startSeconds: toMilliseconds(start), endSeconds: toMilliseconds(Math.min(start + wanted, length)) };
}

const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
/** Padded, so that names sort by time. */
const secondsShown = (seconds: number): string => seconds.toFixed(1).padStart(7, '0');

/** `card/0001.wav` is `0001`. */
function stemOf(file: string): string {
  const name = file.split(/[\\/]/).at(-1) ?? '';
  return name.replace(/\.[^.]{1,5}$/, '') || name;
}

export const segmentsHeader = (): string =>
  csvLine([
    ...['Segment', 'File', 'Start (s)', 'End (s)', 'Detection start (s)', 'Detection end (s)'],
    ...['Scientific name', 'Common name', 'Confidence', 'Score', 'Site', 'Date', 'Time'],
  ]);

/** @param cutSeconds length that the recording really had */
export function segmentRow({ detection, folder, fileName, startSeconds }: PlannedSegment, cutSeconds: number): string {
  const { file, scientificName, commonName, confidence, score, site, date, time } = detection;
  return csvLine([
    ...[`${folder}/${fileName}`, file, startSeconds.toFixed(3), (startSeconds + cutSeconds).toFixed(3)],
    ...[detection.startSeconds, detection.endSeconds, scientificName, commonName],
    ...[share(confidence), share(score), site, date, time],
  ]);
}
