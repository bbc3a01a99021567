import type { TableOptions } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';
import { describeOptions, type OptionSpecs, readArguments } from '../arguments.ts';
import { UsageError } from '../command-error.ts';

const FORMATS = ['table', 'json', 'csv', 'raven', 'audacity'] as const;
export type Format = (typeof FORMATS)[number];

export interface PlaceAndTime {
  readonly latitude: number;
  readonly longitude: number;
  readonly week?: number;
  /** the day that the week was told by */
  readonly date?: string;
}

export interface IdentifyOptions {
  /** files and folders as they were given */
  readonly asked: readonly string[];
  readonly format: Format;
  /** null: standard output */
  readonly out: string | null;
  readonly place: PlaceAndTime | null;
  readonly minScore?: number;
  readonly overlapSeconds?: number;
  readonly language?: string;
  readonly top: number;
  readonly tables: Required<TableOptions>;
}

const specs = {
  format: { value: 'FORMAT', help: 'table (default), json (one line a file), csv, raven or audacity' },
  lat: { value: 'DEGREES', help: 'where it was recorded: latitude, −90 to 90' },
  lon: { value: 'DEGREES', help: 'and longitude, −180 to 180' },
  date: { value: 'YYYY-MM-DD', help: 'when it was recorded' },
  week: { value: 'N', help: 'or the week, 1 to 48, four a month (default: the whole year)' },
  'show-hidden': { help: 'keep what the place hides, marked; it is left out otherwise' },
  'min-score': { value: 'SCORE', help: 'lowest score of a detection, 0 to 1 (default 0.25)' },
  'min-confidence': { value: 'SHARE', help: 'lowest confidence, 0 to 1, of what is listed (default 0)' },
  overlap: { value: 'SECONDS', help: 'what neighbouring clips share, 0 to 2.9 (default 1.5)' },
  language: { value: 'CODE', help: 'language of the species names, such as de' },
  top: { value: 'N', help: 'candidates kept for each recording (default 5)' },
  out: { value: 'FILE', help: 'where to write (default: standard output)' },
  'excel-safe': { help: 'csv: make text of file names that a spreadsheet would run as a formula' },
  help: { help: 'this page' },
} as const satisfies OptionSpecs;

export const whatNumbersMean = `Score is the model's own number; Confidence is the calibrated one, which the words (very likely, likely
…) stand for. Formats of other programs keep those programs' meanings: in Raven's tables Confidence is
the score, as in BirdNET-Analyzer's, for published thresholds depend on it, and the calibrated number
is the last column, Calibrated. Audacity's labels carry the score.`;

export const identifyHelp = `Says which birds are heard in recordings.

  ./chiffchaff identify FILE|FOLDER… [options]

${whatNumbersMean}

With a place, birds that are hardly ever met there are hidden: every format leaves their detections
out, or with --show-hidden has them marked as hidden, with confidence 0. CSV and JSON say beside each
detection how likely the bird is there (occurrence), and what the answer depends on.

A named file is always tried; of a folder, every file in it that looks like audio. Tables have file
names as they are; only in Raven's and Audacity's, which know no quotes, tabs and line breaks become
spaces. Progress goes to standard error. Exit status: 0 done, 1 some recording could not be read,
2 not understood, 3 a fault of the program, 130 cancelled. Every format for programs has all
detections, however many; an answer of the server holds the best 20,000.

${describeOptions(specs)}
`;

/**
 * @returns null when help was asked for
 * @throws UsageError
 */
export function readIdentifyOptions(args: readonly string[]): IdentifyOptions | null {
  const given = readArguments('identify', specs, args);
  if (given.flag('help')) return null;
  if (given.positionals.length === 0)
    throw new UsageError('identify needs at least one recording or folder: ./chiffchaff identify morning.wav.');
  if (given.positionals.includes(''))
    throw new UsageError('One of the recordings has an empty name; the folder that you stand in is called ".".');
  const minScore = given.number('min-score', { min: 0, max: 1 });
  const overlapSeconds = given.number('overlap', { min: 0, max: 2.9 });
  const language = given.text('language');
  const out = given.text('out');
  const format = given.choice('format', FORMATS) ?? 'table';
  const excelSafe = given.flag('excel-safe');
  if (excelSafe && format !== 'csv') throw new UsageError('--excel-safe is for --format csv.');
  return {
    asked: given.positionals,
    format,
    out: out === undefined || out === '-' ? null : out,
    place: readPlace({
      latitude: given.number('lat', { min: -90, max: 90 }),
      longitude: given.number('lon', { min: -180, max: 180 }),
      date: given.text('date'),
      week: given.number('week', { min: 1, max: 48, whole: true }),
    }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
    ...(language === undefined ? {} : { language }),
    top: given.number('top', { min: 1, max: 100, whole: true }) ?? 5,
    tables: {
      showHidden: given.flag('show-hidden'),
      minConfidence: given.number('min-confidence', { min: 0, max: 1 }) ?? 0,
      excelSafe,
    },
  };
}

/** @throws UsageError when half a place is given, or a time without a place */
export function readPlace(given: {
  latitude: number | undefined;
  longitude: number | undefined;
  date: string | undefined;
  week: number | undefined;
}): PlaceAndTime | null {
  const { latitude, longitude, date, week } = given;
  if (date !== undefined && week !== undefined) throw new UsageError('Give --date or --week, not both.');
  const when = date === undefined ? week : weekOfDate(date);
  if (latitude === undefined && longitude === undefined) {
    if (when !== undefined)
      throw new UsageError(`--${date === undefined ? 'week' : 'date'} has a meaning only with a place: add --lat and --lon.`);
    return null;
  }
  if (latitude === undefined) throw new UsageError('--lon needs --lat too.');
  if (longitude === undefined) throw new UsageError('--lat needs --lon too.');
  return { latitude, longitude, ...(when === undefined ? {} : { week: when }), ...(date === undefined ? {} : { date }) };
}

function weekOfDate(text: string): number {
  const [year = 0, month = 0, day = 0] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw new UsageError(`--date takes a day such as 2026-05-01; we found "${text}".`);
  return weekOf(month, day);
}
