import { asText, kindColumn, listedDetections, onOneLine, seconds, type TableOptions, type Tabulated } from './tabulated.ts';

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

/** `Calibrated` is always the last column; `Hidden` only exists with `showHidden`, `Kind` with `sounds`. */
export function ravenHeader(options: TableOptions = {}): string {
  const added = ['Scientific Name', ...(options.showHidden ? ['Hidden'] : []), ...kindColumn(options, 'Kind'), 'Calibrated'];
  return `${[...analyzerColumns, ...added].join('\t')}\n`;
}

/** Highest frequency that the model hears, in Hz: the upper end of a selection's box, unless the recording was played slower or faster. */
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
 * One row for each detection. `Species Code` is empty: eBird's codes are not part of the model. `Confidence` is the model's
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
  const { channel = 1, speed = 1 } = options;
  const highFrequency = Math.floor(Math.min(HIGHEST_HEARD / speed, recording.sampleRate / 2));
  const listed = listedDetections(prediction, options);
  const rows = listed
    .map((detection, index) => {
      const { startSeconds, endSeconds, scientificName, commonName, kind } = detection;
      const { score, confidence, hidden } = asText(detection);
      return [
        selectionsBefore + index + 1,
        'Spectrogram 1',
        channel,
        seconds(secondsBefore + startSeconds),
        seconds(secondsBefore + endSeconds),
        0,
        highFrequency,
        onOneLine(commonName),
        '',
        score,
        onOneLine(recording.fileName ?? ''),
        seconds(startSeconds),
        onOneLine(scientificName),
        ...(options.showHidden ? [hidden] : []),
        ...kindColumn(options, kind),
        confidence,
      ].join('\t');
    })
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
