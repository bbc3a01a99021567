import { harmless, onOneLine, seconds, type Tabulated } from './tabulated.ts';

/** The columns of BirdNET-Analyzer's selection tables, which Raven Pro and Raven Lite open beside the recordings. */
export const RAVEN_COLUMNS = [
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

export const RAVEN_HEADER = `${RAVEN_COLUMNS.join('\t')}\n`;

/** Hz that the model hears; the box of a selection reaches no higher. */
const HIGHEST_HEARD = 15_000;

export interface RavenPosition {
  /** Selections in the rows before. */
  readonly selectionsBefore: number;
  /** Seconds of the recordings before: Raven lays the files of one table end to end. */
  readonly secondsBefore: number;
}

/**
 * One row a detection. `Species Code` is the scientific name: eBird's codes are not part of the model. `Confidence` is the model's own score.
 */
export function ravenRows(
  { recording, detections }: Tabulated,
  { selectionsBefore, secondsBefore }: RavenPosition = { selectionsBefore: 0, secondsBefore: 0 },
): string {
  const highFrequency = Math.min(HIGHEST_HEARD, Math.floor(recording.sampleRate / 2));
  return detections
    .map(({ startSeconds, endSeconds, scientificName, commonName, score }, index) =>
      [
        selectionsBefore + index + 1,
        'Spectrogram 1',
        1,
        seconds(secondsBefore + startSeconds),
        seconds(secondsBefore + endSeconds),
        0,
        highFrequency,
        cell(commonName),
        cell(scientificName),
        score.toFixed(4),
        cell(recording.fileName ?? ''),
        seconds(startSeconds),
      ].join('\t'),
    )
    .map((row) => `${row}\n`)
    .join('');
}

/** One table over one or more recordings. */
export function ravenTable(predictions: readonly Tabulated[]): string {
  let selectionsBefore = 0;
  let secondsBefore = 0;
  let table = RAVEN_HEADER;
  for (const prediction of predictions) {
    table += ravenRows(prediction, { selectionsBefore, secondsBefore });
    selectionsBefore += prediction.detections.length;
    secondsBefore += prediction.recording.durationSeconds;
  }
  return table;
}

// Selection tables are opened in spreadsheets too.
const cell = (text: string): string => harmless(onOneLine(text));
