import { listedDetections, reviews, seconds, share, type TableOptions, type Tabulated } from './tabulated.ts';

/**
 * `Score` is the model's own, `Confidence` the calibrated number that is said everywhere else. From `File` on, what the answer depends on:
 * where the place was assumed from a `Time zone`, `Occurrence` is the zone's. `Review` is what the owner of a stored prediction said about the
 * bird.
 */
export const csvColumns = [
  'Start (s)',
  'End (s)',
  'Scientific name',
  'Common name',
  'Score',
  'Confidence',
  'Occurrence',
  'Hidden',
  'File',
  'Latitude',
  'Longitude',
  'Date',
  'Week',
  'Min score',
  'Min confidence',
  'Overlap (s)',
  'Model',
  'Time zone',
  'Review',
] as const;

export const CSV_HEADER = `${csvColumns.join(',')}\n`;

/** One row a detection, by time; quoted as RFC 4180 says, lines ended with `\n`. What is not known is empty. */
export function csvRows(prediction: Tabulated, options: TableOptions = {}): string {
  const { recording, conditions, model } = prediction;
  const { latitude, longitude, date, week, minScore, overlapSeconds, timeZone } = conditions;
  const fileName = recording.fileName ?? '';
  const reviewOf = reviews(prediction);
  // The same for every row.
  const circumstances = [
    options.excelSafe ? harmless(fileName) : fileName,
    latitude ?? '',
    longitude ?? '',
    date ?? '',
    week ?? '',
    minScore,
    options.minConfidence ?? 0,
    seconds(overlapSeconds),
    model.id,
    timeZone ?? '',
  ]
    .map((cell) => quote(String(cell)))
    .join(',');
  return listedDetections(prediction, options)
    .map(({ startSeconds, endSeconds, scientificName, commonName, score, confidence, occurrence, hidden }) =>
      [
        seconds(startSeconds),
        seconds(endSeconds),
        quote(scientificName),
        quote(commonName),
        share(score),
        share(confidence),
        occurrence === null || occurrence === undefined ? '' : share(occurrence),
        hidden,
        circumstances,
        quote(reviewOf.get(scientificName) ?? ''),
      ].join(','),
    )
    .map((row) => `${row}\n`)
    .join('');
}

/** @example csvTable([prediction]) // "Start (s),End (s),…\n3,6,Phylloscopus collybita,Common Chiffchaff,0.9100,0.9600,…" */
export function csvTable(predictions: readonly Tabulated[], options: TableOptions = {}): string {
  return CSV_HEADER + predictions.map((prediction) => csvRows(prediction, options)).join('');
}

/** A cell of CSV as RFC 4180 says. */
export function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Text that a spreadsheet shows and never runs. A cell that begins with `=`, `+`, `-` or `@` (or with white space that hides one)
 * is taken for a formula, and file names come from strangers; an apostrophe in front makes it text. Source: OWASP, CSV injection.
 */
export function harmless(text: string): string {
  return /^([\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/.test(text) ? `'${text}` : text;
}
