import type { TableOptions } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';
import { UsageError } from '../command-error.ts';
import { createCommand, numberWithin, oneOf, someText } from '../command-line.ts';

const FORMATS = ['table', 'json', 'csv', 'raven', 'audacity'] as const;
/** A calendar of four weeks a month. */
export const WEEKS = { min: 1, max: 48, whole: true } as const;
export const SHARE = { min: 0, max: 1 } as const;
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

export const whatNumbersMean = `Score is the model's own number; Confidence is the calibrated one, which the words (very likely, likely
…) stand for. Formats of other programs keep those programs' meanings: in Raven's tables Confidence is
the score, as in BirdNET-Analyzer's, for published thresholds depend on it, and the calibrated number
is the last column, Calibrated. Audacity's labels carry the score.`;

const description = `Says which birds are heard in recordings: files, and of each folder the files that look like audio.

${whatNumbersMean}

With a place, birds that are hardly ever met there are hidden: every format leaves their detections
out, or with --show-hidden has them marked as hidden, with confidence 0. CSV and JSON say beside each
detection how likely the bird is there (occurrence), and what the answer depends on.

A named file is always tried, whatever its name. Tables have file names as they are; only in Raven's
and Audacity's, which know no quotes, tabs and line breaks become spaces. Progress goes to standard
error. Exit status: 0 done, 1 some recording could not be read, 2 not understood, 3 a fault of the
program, 130 cancelled. Every format for programs has all detections, however many; an answer of the
server holds the best 20,000.`;

/** @throws UsageError from its parsing */
export const identifyCommand = (run: (options: IdentifyOptions) => Promise<void>) =>
  createCommand('identify')
    .description(description)
    .argument('<FILE|FOLDER...>')
    .option('--format <FORMAT>', 'table, json (one line a file), csv, raven or audacity', oneOf(FORMATS), 'table')
    .option('--lat <DEGREES>', 'where it was recorded: latitude, −90 to 90', numberWithin({ min: -90, max: 90 }))
    .option('--lon <DEGREES>', 'and longitude, −180 to 180', numberWithin({ min: -180, max: 180 }))
    .option('--date <YYYY-MM-DD>', 'when it was recorded', someText)
    .option('--week <N>', 'or the week, 1 to 48, four a month (default: the whole year)', numberWithin(WEEKS))
    .option('--show-hidden', 'keep what the place hides, marked; it is left out otherwise')
    .option('--min-score <SCORE>', 'lowest score of a detection, 0 to 1 (default: 0.25)', numberWithin(SHARE))
    .option('--min-confidence <SHARE>', 'lowest confidence, 0 to 1, of what is listed', numberWithin(SHARE), 0)
    .option('--overlap <SECONDS>', 'what neighbouring clips share, 0 to 2.9 (default: 1.5)', numberWithin({ min: 0, max: 2.9 }))
    .option('--language <CODE>', 'language of the species names, such as de', someText)
    .option('--top <N>', 'candidates kept for each recording', numberWithin({ min: 1, max: 100, whole: true }), 5)
    .option('--out <FILE>', 'where to write (default: standard output)', someText)
    .option('--excel-safe', 'csv: make text of file names that a spreadsheet would run as a formula')
    .action(
      (asked, { lat, lon, date, week, minScore, overlap, language, out, showHidden = false, excelSafe = false, ...given }) => {
        if (asked.includes(''))
          throw new UsageError('One of the recordings has an empty name; the folder that you stand in is called ".".');
        if (excelSafe && given.format !== 'csv') throw new UsageError('--excel-safe is for --format csv.');
        return run({
          asked,
          format: given.format,
          out: out === undefined || out === '-' ? null : out,
          place: readPlace({ latitude: lat, longitude: lon, date, week }),
          ...(minScore === undefined ? {} : { minScore }),
          ...(overlap === undefined ? {} : { overlapSeconds: overlap }),
          ...(language === undefined ? {} : { language }),
          top: given.top,
          tables: { showHidden, minConfidence: given.minConfidence, excelSafe },
        });
      },
    );

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
