import type { Detection } from '../prediction.ts';
import { asText, listedBirds, listedDetections, reviewsByBird, seconds, type TableOptions, type Tabulated } from './tabulated.ts';

/**
 * `Score` is the model's own, `Confidence` the calibrated number used everywhere else. The columns from `File` on hold what the answer
 * depends on: if the place was assumed from a `Time zone`, `Occurrence` is the zone's. `Review` is what the owner said of the bird in a
 * stored prediction, and `Reviewed as` the species that it was.
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
  'Reviewed as',
] as const;

export const CSV_HEADER = `${csvColumns.join(',')}\n`;

/** What a CSV for spreadsheets begins with: Excel knows UTF-8 by a byte order mark. */
export const markOf = ({ excelSafe = false }: TableOptions = {}): string => (excelSafe ? '\ufeff' : '');

/** What a survey knows of a detection besides its prediction. */
interface SurveyedCells {
  /** when it was heard, instead of when the recording began; null when unknown */
  readonly date: string | null;
  /** columns after ours */
  readonly cells: readonly (string | number | null)[];
}

/** One row for each detection, by time; quoted as in RFC 4180, with lines ending in `\n`. Unknown values are empty. */
export function csvRows(
  prediction: Tabulated,
  options: TableOptions = {},
  surveyed?: (detection: Detection) => SurveyedCells,
): string {
  const rowOf = createRows(prediction, options);
  return listedDetections(prediction, options)
    .map((detection) => {
      const { startSeconds, endSeconds, scientificName, commonName } = detection;
      const { score, confidence, occurrence, hidden } = asText(detection);
      return rowOf(
        [seconds(startSeconds), seconds(endSeconds), quote(scientificName), quote(commonName), score, confidence],
        [occurrence, hidden],
        scientificName,
        surveyed?.(detection),
      );
    })
    .join('');
}

/**
 * The rows after those of all detections: one, for the whole recording and without score and confidence, for each bird that counts by a
 * review and has no other row.
 *
 * @param listed the birds that have one
 */
export function csvReviewRows(prediction: Tabulated, listed: ReadonlySet<string>, options: TableOptions = {}): string {
  const rowOf = createRows(prediction, options);
  const length = seconds(prediction.recording.durationSeconds);
  return (prediction.reviews ?? [])
    .filter(({ scientificName, verdict }) => verdict !== 'rejected' && !listed.has(scientificName))
    .map(({ scientificName, commonName }) =>
      rowOf(['0', length, quote(scientificName), quote(commonName), '', ''], ['', 'FALSE'], scientificName),
    )
    .join('');
}

/** Writes rows of one prediction: the cells of a bird, then what is the same for every row, then the review of the bird. */
function createRows(prediction: Tabulated, options: TableOptions) {
  const { recording, conditions, model } = prediction;
  const { latitude, longitude, date, week, minScore, overlapSeconds, timeZone } = conditions;
  const fileName = recording.fileName ?? '';
  const reviews = reviewsByBird(prediction);
  const before = quoted([options.excelSafe ? harmless(fileName) : fileName, latitude, longitude]);
  const after = quoted([week, minScore, options.minConfidence ?? 0, seconds(overlapSeconds), model.id, timeZone]);
  return (
    heard: readonly string[],
    there: readonly string[],
    scientificName: string,
    surveyed: SurveyedCells = { date: null, cells: [] },
  ): string => {
    const said = reviews.get(scientificName);
    const own = quoted([said?.review, said?.reviewedAs, ...surveyed.cells]);
    return `${[...heard, ...there, before, quoted([surveyed.date ?? date]), after, own].join(',')}\n`;
  };
}

const quoted = (cells: readonly (string | number | null | undefined)[]): string =>
  cells.map((cell) => quote(String(cell ?? ''))).join(',');

/** @example csvTable([prediction]) // "Start (s),End (s),…\n3,6,Phylloscopus collybita,Common Chiffchaff,0.9100,0.9600,…" */
export function csvTable(predictions: readonly Tabulated[], options: TableOptions = {}): string {
  const rows = predictions.map(
    (prediction) => csvRows(prediction, options) + csvReviewRows(prediction, listedBirds(prediction, options), options),
  );
  return markOf(options) + CSV_HEADER + rows.join('');
}

/** Quotes a CSV cell as in RFC 4180. */
export function quote(text: string, separator = ','): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Makes text safe for spreadsheets. They run a cell that begins with `=`, `+`, `-` or `@` (even after white space) as a formula, and file
 * names come from strangers; a leading apostrophe makes it text. Source: OWASP, CSV injection.
 */
export function harmless(text: string): string {
  return /^([\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/.test(text) ? `'${text}` : text;
}
