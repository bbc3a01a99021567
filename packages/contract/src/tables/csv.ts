import { listedDetections, reviews, seconds, share, type TableOptions, type Tabulated } from './tabulated.ts';

/**
 * `Score` is the model's own, `Confidence` the calibrated number used everywhere else. The columns from `File` on hold what the answer
 * depends on: if the place was assumed from a `Time zone`, `Occurrence` is the zone's. `Review` is what the owner said of the bird in a
 * stored prediction.
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

/** One row for each detection, by time; quoted as in RFC 4180, with lines ending in `\n`. Unknown values are empty. */
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

/** Quotes a CSV cell as in RFC 4180. */
export function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Makes text safe for spreadsheets. They run a cell that begins with `=`, `+`, `-` or `@` (even after white space) as a formula, and file
 * names come from strangers; a leading apostrophe makes it text. Source: OWASP, CSV injection.
 */
export function harmless(text: string): string {
  return /^([\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/.test(text) ? `'${text}` : text;
}
