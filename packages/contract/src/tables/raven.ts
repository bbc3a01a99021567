import { listedDetections, onOneLine, seconds, share, type TableOptions, type Tabulated } from './tabulated.ts';

/** The columns of BirdNET-Analyzer's selection tables, which Raven Pro and Raven Lite open together with the recordings. */
const analyzerColumns = [
  'Selection',
  'View',
  'Channel',
  'Begin Time (s)',
  'End Time (s)',
  'Low Freq (Hz)',
  'High Freq (Hz)',
  'Common Name',
  'Species Code',
  'Confidence',
  'Begin Path',
  'File Offset (s)',
] as const;

/** `Calibrated` is always the last column; `Hidden` only exists with `showHidden`. */
export function ravenHeader({ showHidden = false }: TableOptions = {}): string {
  return `${[...analyzerColumns, ...(showHidden ? ['Hidden'] : []), 'Calibrated'].join('\t')}\n`;
}

/** Highest frequency that the model hears, in Hz, and the upper end of a selection's box. */
const HIGHEST_HEARD = 15_000;

export interface RavenPosition {
  /** Number of selections in earlier rows. */
  readonly selectionsBefore: number;
  /** Length of the earlier recordings in seconds: Raven lays the files of one table end to end. */
  readonly secondsBefore: number;
}

/** Before the first recording. */
export const ravenStart: RavenPosition = { selectionsBefore: 0, secondsBefore: 0 };

/**
 * One row for each detection. `Species Code` is the scientific name: eBird's codes are not part of the model. `Confidence` is the model's
 * own score, as in BirdNET-Analyzer and published thresholds; the calibrated number is `Calibrated`. `excelSafe` does not apply.
 *
 * @returns the rows, and the position at which those of the next recording start
 */
export function ravenRows(
  prediction: Tabulated,
  { selectionsBefore, secondsBefore }: RavenPosition = ravenStart,
  options: TableOptions = {},
): { readonly rows: string; readonly next: RavenPosition } {
  const { recording } = prediction;
  const highFrequency = Math.min(HIGHEST_HEARD, Math.floor(recording.sampleRate / 2));
  const listed = listedDetections(prediction, options);
  const rows = listed
    .map(({ startSeconds, endSeconds, scientificName, commonName, score, confidence, hidden }, index) =>
      [
        selectionsBefore + index + 1,
        'Spectrogram 1',
        1,
        seconds(secondsBefore + startSeconds),
        seconds(secondsBefore + endSeconds),
        0,
        highFrequency,
        onOneLine(commonName),
        onOneLine(scientificName),
        share(score),
        onOneLine(recording.fileName ?? ''),
        seconds(startSeconds),
        ...(options.showHidden ? [hidden] : []),
        share(confidence),
      ].join('\t'),
    )
    .map((row) => `${row}\n`)
    .join('');
  return {
    rows,
    next: { selectionsBefore: selectionsBefore + listed.length, secondsBefore: secondsBefore + recording.durationSeconds },
  };
}

/** One table of one or more recordings. */
export function ravenTable(predictions: readonly Tabulated[], options: TableOptions = {}): string {
  let position = ravenStart;
  let table = ravenHeader(options);
  for (const prediction of predictions) {
    const { rows, next } = ravenRows(prediction, position, options);
    table += rows;
    position = next;
  }
  return table;
}
