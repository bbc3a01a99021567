import { harmless, seconds, type Tabulated } from './tabulated.ts';

/** The columns of BirdNET-Analyzer's CSV, so that what reads that reads this. `Confidence` is the model's own score there, and so it is here. */
export const CSV_COLUMNS = ['Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Confidence', 'File'] as const;

export const CSV_HEADER = `${CSV_COLUMNS.join(',')}\n`;

/** One row a detection, by time; quoted as RFC 4180 says, lines ended with `\n`. */
export function csvRows({ recording, detections }: Tabulated): string {
  return detections
    .map(({ startSeconds, endSeconds, scientificName, commonName, score }) =>
      [
        seconds(startSeconds),
        seconds(endSeconds),
        quote(scientificName),
        quote(commonName),
        score.toFixed(4),
        quote(recording.fileName ?? ''),
      ].join(','),
    )
    .map((row) => `${row}\n`)
    .join('');
}

/** @example csvTable([prediction]) // "Start (s),End (s),…\n3,6,Phylloscopus collybita,Common Chiffchaff,0.9100,morning.m4a\n" */
export function csvTable(predictions: readonly Tabulated[]): string {
  return CSV_HEADER + predictions.map(csvRows).join('');
}

function quote(text: string): string {
  const cell = harmless(text);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
