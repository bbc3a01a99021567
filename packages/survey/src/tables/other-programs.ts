import { listedDetections, seconds, share, type TableOptions } from '@chiffchaff/contract';
import { csvLine, type Surveyed } from './csv.ts';

/**
 * Tables as BirdNET-Analyzer 2 writes them, for programs that read those. As there, `Confidence` is the model's own score, to which
 * published thresholds refer.
 */

/** The columns of its CSV. */
export const analyzerHeader = (): string =>
  csvLine(['Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Confidence', 'File']);

/** @param path of the recording, as the table should have it */
export function analyzerRows({ prediction }: Surveyed, path: string, options: TableOptions): string {
  return listedDetections(prediction, options)
    .map(({ startSeconds, endSeconds, scientificName, commonName, score }) =>
      csvLine([secondsWithPoint(startSeconds), secondsWithPoint(endSeconds), scientificName, commonName, share(score), path]),
    )
    .join('');
}

/** Columns by which Kaleidoscope finds recordings and clips, then those that Analyzer adds. */
export const kaleidoscopeHeader = (): string =>
  csvLine([
    ...['INDIR', 'FOLDER', 'IN FILE', 'OFFSET', 'DURATION'],
    ...['scientific_name', 'common_name', 'confidence', 'lat', 'lon', 'week', 'overlap', 'sensitivity'],
  ]);

/** What Analyzer writes for a missing place or week. */
const UNKNOWN = -1;
/** The score's sensitivity: the model's own curve, neither steeper nor flatter. */
const SENSITIVITY = '1.0';

/** @param path absolute; `/` or `\` between its parts */
export function kaleidoscopeRows({ prediction }: Surveyed, path: string, options: TableOptions): string {
  const [, indir = '', folder = '', file = path] = /^(?:(.*)[\\/])?([^\\/]*)[\\/]([^\\/]+)$/.exec(path) ?? [];
  const { latitude, longitude, week, overlapSeconds } = prediction.conditions;
  return listedDetections(prediction, options)
    .map(({ startSeconds, endSeconds, scientificName, commonName, score }) =>
      csvLine([
        ...[indir, folder, file, secondsWithPoint(startSeconds), secondsWithPoint(endSeconds - startSeconds)],
        ...[scientificName, commonName, share(score), degrees(latitude), degrees(longitude), week ?? UNKNOWN],
        ...[secondsWithPoint(overlapSeconds), SENSITIVITY],
      ]),
    )
    .join('');
}

/** Formats a number as Python does: `3.0`, `1.5`. */
function secondsWithPoint(value: number): string {
  const text = seconds(value);
  return text.includes('.') ? text : `${text}.0`;
}

const degrees = (value: number | null): string => (value ?? UNKNOWN).toFixed(4);
