import { kindColumn, listedDetections, seconds, share, type TableOptions } from '@chiffchaff/contract';
import { csvLine, type Surveyed } from './csv.ts';

/**
 * Tables as BirdNET-Analyzer 2 writes them, for programs that read those. As there, `Confidence` is the model's own score, to which
 * published thresholds refer. Nothing in them could mark a bird as hidden by location, so those are always left out.
 */

/** The columns of its CSV. */
export const analyzerHeader = (options: TableOptions): string =>
  csvLine(['Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Confidence', 'File', ...kindColumn(options, 'Kind')]);

/** @param path of the recording, as the table should have it */
export function analyzerRows({ prediction }: Surveyed, path: string, options: TableOptions): string {
  return listedDetections(prediction, { ...options, showHidden: false })
    .map(({ startSeconds, endSeconds, scientificName, commonName, score, kind }) =>
      csvLine([
        ...[secondsWithPoint(startSeconds), secondsWithPoint(endSeconds), scientificName, commonName, share(score), path],
        ...kindColumn(options, kind),
      ]),
    )
    .join('');
}

/** The columns that Kaleidoscope knows, as Analyzer writes them since December 2025. `MANUAL ID` is for the person who listens. */
export const kaleidoscopeHeader = (options: TableOptions): string =>
  csvLine([
    ...['INDIR', 'FOLDER', 'IN FILE', 'OFFSET', 'DURATION', 'TOP1MATCH', 'TOP1DIST', 'MANUAL ID'],
    ...kindColumn(options, 'Kind'),
  ]);

/** @param path absolute; `/` or `\` between its parts */
export function kaleidoscopeRows({ prediction }: Surveyed, path: string, options: TableOptions): string {
  const [, indir = '', folder = '', file = path] = /^(?:(.*)[\\/])?([^\\/]*)[\\/]([^\\/]+)$/.exec(path) ?? [];
  return listedDetections(prediction, { ...options, showHidden: false })
    .map(({ startSeconds, endSeconds, commonName, score, kind }) =>
      csvLine([
        ...[indir, folder, file, secondsWithPoint(startSeconds), secondsWithPoint(endSeconds - startSeconds)],
        ...[commonName, share(score), null, ...kindColumn(options, kind)],
      ]),
    )
    .join('');
}

/** Formats a number as Python does: `3.0`, `1.5`. */
function secondsWithPoint(value: number): string {
  const text = seconds(value);
  return text.includes('.') ? text : `${text}.0`;
}
