import { labelsHeader } from '../labels.ts';
import { segmentsHeader } from '../segments/plan-segments.ts';
import { csvLine } from '../tables/csv.ts';
import { thresholdHeader } from '../thresholds/threshold-table.ts';
import { isOnlyReviewed, type ListedDetection, type ListedFile, type SettingName, settingNames } from './listed-detection.ts';
import { type Row, TableError } from './read-rows.ts';

/** Which of our tables one is, with the reader of its rows. */
export type TableOfOurs =
  /** null: a bird that only a person names, without a score */
  | { readonly kind: 'detections'; readonly read: (row: Row) => ListedDetection | null }
  | { readonly kind: 'files'; readonly read: (row: Row) => ListedFile };

const DETECTIONS = ['File', 'Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Score', 'Confidence'];
const FILES = ['File', 'State', 'Seconds', 'Detections'];
const WHAT_WORKS = 'Give the CSV of identify (--format csv --out NAME.csv), as it was written.';

/**
 * Recognises one of our tables by its header.
 *
 * @throws TableError for any other table; it says what was found
 */
export function openTable(header: Row | undefined): TableOfOurs {
  if (header === undefined) throw new TableError(`The table is empty. ${WHAT_WORKS}`);
  const has = (names: readonly string[]) => names.every((name) => header.cells.includes(name));
  const reader = createCells(header.cells);
  if (has(DETECTIONS)) return { kind: 'detections', read: (row) => readDetection(reader(row)) };
  if (has(FILES)) return { kind: 'files', read: (row) => readFile(reader(row)) };
  throw new TableError(`${foundInstead(header.cells)} ${WHAT_WORKS}`);
}

/** Whether a table is another one that commands write: labels, thresholds or a list of segments. */
export const isOtherTable = ({ cells }: Row): boolean =>
  [labelsHeader(), thresholdHeader(), segmentsHeader()].includes(csvLine(cells));

/** Tables of the same detections for other programs, recognised by columns that only they have. */
const others: readonly (readonly [columns: readonly string[], found: string])[] = [
  [['Start (s)', 'End (s)', 'Scientific name', 'Confidence'], 'This is a table of BirdNET-Analyzer, which has no score.'],
  [['INDIR', 'IN FILE'], 'This is a table of Kaleidoscope.'],
];

function foundInstead(cells: readonly string[]): string {
  const [only = ''] = cells;
  const other = others.find(([columns]) => columns.every((column) => cells.includes(column)));
  if (other) return other[1];
  if (only.startsWith('Selection\t')) return 'This is a selection table of Raven.';
  if (only.startsWith('{')) return 'These are JSON lines.';
  if (only.includes(';')) return 'The columns are separated by semicolons: a spreadsheet may have saved the table anew.';
  const shown = cells.slice(0, 6).join(', ').slice(0, 120);
  return `Its first line is "${shown.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?')}".`;
}

type Cells = ReturnType<ReturnType<typeof createCells>>;

/** Reads cells by column name. */
function createCells(header: readonly string[]) {
  const places = new Map(header.map((name, index) => [name, index]));
  return ({ cells, line }: Row) => {
    if (cells.length !== header.length)
      throw new TableError(`Line ${line} has ${cells.length} cells and the header ${header.length}. ${WHAT_WORKS}`);
    /** Empty when there is no such column. */
    const text = (name: string): string => cells[places.get(name) ?? -1] ?? '';
    const number = (name: string, least: number, most: number): number => {
      const value = /^\d+(\.\d+)?$/.test(text(name)) ? Number(text(name)) : Number.NaN;
      if (value >= least && value <= most) return value;
      throw new TableError(`Line ${line}: "${text(name).slice(0, 40)}" is no ${name}, which goes from ${least} to ${most}.`);
    };
    const matching = (pattern: RegExp, name: keyof typeof EXAMPLES): string => {
      const found = text(name);
      if (found === '' || pattern.test(found)) return found;
      throw new TableError(`Line ${line}: "${found.slice(0, 40)}" is no ${name}, which looks like ${EXAMPLES[name]}.`);
    };
    return { text, number, matching };
  };
}

const EXAMPLES = { Date: '2026-05-01', Time: '05:12:44', UTC: '2026-05-01T03:12:44Z' };
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const A_YEAR_SECONDS = 366 * 24 * 3600;

const placeAndTime = ({ text, matching }: Cells) => ({
  file: text('File'),
  site: text('Site'),
  date: matching(DATE, 'Date'),
  time: matching(TIME, 'Time'),
});

function readDetection(cells: Cells): ListedDetection | null {
  const { text, number } = cells;
  if (isOnlyReviewed(text('Score'), text('Review'))) return null;
  return {
    ...placeAndTime(cells),
    startSeconds: number('Start (s)', 0, A_YEAR_SECONDS),
    endSeconds: number('End (s)', 0, A_YEAR_SECONDS),
    scientificName: text('Scientific name'),
    commonName: text('Common name'),
    score: number('Score', 0, 1),
    confidence: number('Confidence', 0, 1),
    isHidden: text('Hidden') === 'true',
    settings: Object.fromEntries(settingNames.map((name) => [name, text(name)])) as Record<SettingName, string>,
  };
}

function readFile(cells: Cells): ListedFile {
  const { text, number, matching } = cells;
  const isAnalyzed = text('State') === 'analysed';
  const utc = matching(UTC, 'UTC');
  return {
    ...placeAndTime(cells),
    isAnalyzed,
    seconds: isAnalyzed ? number('Seconds', 0, A_YEAR_SECONDS) : 0,
    epochMs: utc === '' ? null : Date.parse(utc),
  };
}
