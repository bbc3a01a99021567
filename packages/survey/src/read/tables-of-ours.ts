import { placeAt } from '../metadata/written-values.ts';
import { type LocatedDetection, type LocatedFile, type SettingName, settingNames } from './listed-detection.ts';
import type { Cells, TableOpener } from './read-table.ts';
import { TableError } from './table-error.ts';

/** Callbacks for the rows of our two tables. */
export interface TableOfOurs {
  readonly detection: (detection: LocatedDetection) => void;
  readonly file: (file: LocatedFile) => void;
  /** Called with the kind of the table before its rows. */
  readonly opened?: (kind: 'detections' | 'files') => void;
  /** Whether labels, thresholds and lists of segments are passed over. */
  readonly skipsOthers?: boolean;
}

const DETECTIONS = ['Start (s)', 'End (s)', 'Scientific name', 'Score', 'Confidence', 'File'];
const FILES = ['File', 'State', 'Seconds', 'Detections'];
/** Columns of labels, thresholds and lists of segments. */
const OTHERS = [
  ['Label id', 'Label'],
  ['Target precision', 'Threshold'],
  ['Segment', 'Detection start (s)'],
];
const WHAT_WORKS = 'Give the CSV of identify (--format csv --out NAME.csv).';
const A_YEAR_SECONDS = 366 * 24 * 3600;

/**
 * Recognises one of our tables by its header. Leaves out other sounds, and birds that only a person names: they have a
 * review, and no score.
 *
 * @throws TableError for any other table; it says what was found
 */
export const openTable =
  (shownAs: string, { detection, file, opened, skipsOthers = false }: TableOfOurs): TableOpener =>
  (columns) => {
    if (skipsOthers && OTHERS.some((names) => names.every(columns.has))) return null;
    if (DETECTIONS.every(columns.has)) {
      // Without it, hidden birds would count.
      columns.need([...DETECTIONS, 'Hidden'], 'A table of identify');
      opened?.('detections');
      return (cells) => {
        const isBird = ['', 'bird'].includes(cells.text('Kind'));
        const isDetected = cells.text('Score') !== '' || cells.text('Review') === '';
        if (isBird && isDetected) detection(readDetection(cells));
      };
    }
    if (!FILES.every(columns.has)) throw new TableError(`${shownAs}: ${foundInstead(columns.names)} ${WHAT_WORKS}`);
    columns.need(FILES, 'A list of recordings');
    opened?.('files');
    return (cells) => file(readFile(cells));
  };

/** Tables of the same detections for other programs, recognised by columns that only they have. */
const others: readonly (readonly [columns: readonly string[], found: string])[] = [
  [['Start (s)', 'End (s)', 'Scientific name', 'Confidence'], 'This is a table of BirdNET-Analyzer, which has no score.'],
  [['INDIR', 'IN FILE'], 'This is a table of Kaleidoscope.'],
  [['Selection', 'View'], 'This is a selection table of Raven.'],
];

function foundInstead(names: readonly string[]): string {
  if (names.length === 0) return 'The table is empty.';
  const other = others.find(([columns]) => columns.every((column) => names.includes(column)));
  if (other) return other[1];
  const shown = names.slice(0, 6).join(', ').slice(0, 120);
  return `Its first line is "${shown.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?')}".`;
}

function placeAndTime(cells: Cells) {
  const [latitude, longitude] = [cells.numberOrNull('Latitude', -90, 90), cells.numberOrNull('Longitude', -180, 180)];
  return {
    file: cells.path('File'),
    site: cells.text('Site'),
    place: latitude === null || longitude === null ? null : placeAt(latitude, longitude),
    date: cells.day('Date'),
    time: cells.time('Time'),
    epochMs: cells.instant('UTC'),
  };
}

function readDetection(cells: Cells): LocatedDetection {
  const startSeconds = cells.number('Start (s)', 0, A_YEAR_SECONDS);
  return {
    ...placeAndTime(cells),
    startSeconds,
    endSeconds: cells.number('End (s)', startSeconds, A_YEAR_SECONDS),
    scientificName: cells.scientificName(),
    commonName: cells.text('Common name'),
    score: cells.number('Score', 0, 1),
    confidence: cells.number('Confidence', 0, 1),
    isHidden: cells.boolean('Hidden'),
    recorder: cells.text('Recorder'),
    settings: Object.fromEntries(settingNames.map((name) => [name, cells.text(name)])) as Record<SettingName, string>,
  };
}

function readFile(cells: Cells): LocatedFile {
  const isAnalyzed = cells.oneOf('State', ['analysed', 'failed']) === 'analysed';
  const seconds = isAnalyzed ? cells.number('Seconds', 0, A_YEAR_SECONDS) : 0;
  return { ...placeAndTime(cells), isAnalyzed, seconds, endedEarly: cells.text('Problem') === 'ENDED_EARLY' };
}
