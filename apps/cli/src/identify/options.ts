import type { Preprocessing } from '@chiffchaff/analysis';
import type { TableOptions } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';
import { UsageError } from '../command-error.ts';
import { createCommand, nonEmptyText, numberWithin, oneOf } from '../command-line.ts';
import { readPreprocessing } from './preprocessing.ts';

const FORMATS = ['table', 'json', 'csv', 'raven', 'audacity', 'analyzer', 'kaleidoscope'] as const;
/** Four weeks a month. */
export const WEEKS = { min: 1, max: 48, whole: true } as const;
export const SHARE = { min: 0, max: 1 } as const;
const CHANNELS = { min: 1, max: 32, whole: true } as const;
const HERTZ = { min: 1, max: 500_000 } as const;
const SPEEDS = { min: 0.05, max: 20 } as const;
/** The default of BirdNET-Analyzer. */
const USUAL_OCCURRENCE = 0.03;
export type Format = (typeof FORMATS)[number];

export interface PlaceAndTime {
  readonly latitude: number;
  readonly longitude: number;
  readonly week?: number;
  /** the day that the week was derived from */
  readonly date?: string;
}

export interface IdentifyOptions {
  /** files and folders as given */
  readonly asked: readonly string[];
  /** at least one */
  readonly formats: readonly Format[];
  /** null: standard output */
  readonly out: string | null;
  /** Whether an existing file may be replaced. */
  readonly overwrites: boolean;
  readonly place: PlaceAndTime | null;
  /** File with the list of sites, whose places win. */
  readonly sites: string | null;
  /** The week for all recordings; it wins over their own dates. */
  readonly when: Pick<PlaceAndTime, 'week' | 'date'> | null;
  /** File with the species that may be named; null: all. */
  readonly species: string | null;
  /** Whether a name in it that is not found is an error. */
  readonly isStrict: boolean;
  /** Minimum occurrence of a bird at the place and week; null: none. */
  readonly minOccurrence: number | null;
  /** Table of thresholds on the confidence of species; null: none. */
  readonly thresholds: string | null;
  /** How audio is changed before it is analysed; null: not at all. */
  readonly preprocessing: Preprocessing | null;
  /** One row for each clip, rather than one for neighbouring clips. */
  readonly perClip: boolean;
  /** Whether to read time and place from names and headers of recordings. */
  readonly readsMetadata: boolean;
  /** The time zone to assume a place from. */
  readonly timeZone?: string;
  readonly minScore?: number;
  readonly overlapSeconds?: number;
  readonly language?: string;
  readonly top: number;
  readonly tables: Required<Pick<TableOptions, 'showHidden' | 'minConfidence' | 'excelSafe' | 'sounds'>>;
}

export const whatNumbersMean = `Score is the model's own output. Confidence is the calibrated number behind the words (very likely,
likely …). Formats of other programs keep their own meaning: in the formats raven, analyzer and
kaleidoscope, Confidence is the score, as in BirdNET-Analyzer, because published thresholds depend on
it; Raven tables have the calibrated number in their last column, Calibrated. Audacity labels show the
score.`;

const description = `Identifies the birds in recordings. For a folder, all files that look like audio are read. Links in it are
followed, and files that were not read are counted at the end. A recording with several names, such as a link
to it, is analysed once; copies are analysed each. Both are named at the end.

${whatNumbersMean}

Formats other than table have one row for each clip of 3 s that holds a bird, as BirdNET-Analyzer. Clips
overlap by --overlap. With --merge, clips of a bird with less than 3 s between them are one row, with the
highest score and one confidence, as on the page.

Time and place are read from what recordings say of themselves (GUANO, Wildlife Acoustics, AudioMoth,
bext) and from names such as SITE_20260501_051200.wav; each recording then counts for its own week.
A list of sites (--sites) wins over --lat and --lon, and these over the recording. --date and --week win
over the recording's own date. What is doubtful about time and sound is said once at the end.

The list of sites is a CSV with the columns site; folder (a path or its end) or recorder (serial number, or what
file names begin with); latitude; longitude; time zone (of the place, such as Europe/Berlin); clock (what the
recorder was set to if not to that zone: UTC for an AudioMoth, UTC+1 for one that keeps winter time). The clock
matters where a recording does not say it: an AudioMoth's comment does, most file names do not.

With a place, birds that hardly ever occur there are hidden: every format leaves out their detections or, with
--show-hidden, marks them as hidden, with confidence 0; analyzer and kaleidoscope, which have no mark for them,
leave them out in any case. CSV and JSON include for each detection how likely the bird is at the place
(occurrence), and the conditions of the result.
With --sounds, formats other than table also have what is no bird: Kind is bird, animal (frogs, insects …) or
sound (engines, voices …), which have a score but no confidence. Our other commands take only the birds.

With --species, only the birds in that file are named. A line holds a scientific name, a common name in any
language, or both as Scientific_Common; a table has a column of names. Names that are not found are listed,
and the run goes on without them, unless --strict-list is given. Names of species that were split since the
model's list (eBird 2021) mean the undivided one. With --expected, only birds expected at the place and week
of each recording are named, and a recording without a place is an error. With both, a bird must be in both.
No format then has any other bird, not even with --show-hidden. Confidence does not change: a bird that is
not on the list may have been there all the same.

With --time-zone, birds of that zone are preferred. Birds from elsewhere stay among the candidates, and a
result may ask whether one was recorded where it lives, but their detections are hidden, with the confidence
they have. Without it and without a place, nothing is assumed. The first call with a time zone takes a few
seconds longer.

With --channel, only that channel is analysed; without it, all channels are mixed. --fmin and --fmax weaken
lower and higher frequencies of the recording by 24 dB an octave. --speed 0.1 plays a recording ten times
slower, which brings ultrasound down to what the model knows. Start and end in all formats are times of the
recording, so a clip of 3 s is 0.3 s of it then. Confidence was calibrated on unchanged recordings.

--format may be given several times. --out birds then names the files by their formats: birds.csv, birds.jsonl,
birds.raven.txt, birds.audacity.txt, birds.analyzer.csv, birds.kaleidoscope.csv, birds.txt (table).
A table is about all recordings; --out FOLDER/ writes one for each in formats of other programs. Labels of
Audacity are always one file a recording, with several formats in birds.audacity/. Times of a Raven table go on
from one recording to the next, in the order of birds.raven.list.txt: open it in Raven, then the table.

With --out, a run that was interrupted goes on when the same command is run again: the results so far are in a
journal beside the file (FILE.journal) until all is done. While a run is writing to a file, another to the same
one ends at once (exit status 3). A file that is there is only replaced with
--overwrite, and not before the new one is complete. For several recordings, NAME.files.csv lists every
file: analysed or not, its length, and where and when it was recorded.

A file given by name is always read, whatever its extension. Tables contain file names unchanged, except
that tabs and line breaks become spaces in Raven and Audacity files, which have no quoting. Progress
goes to standard error, with the time left once a recording of each kind is done. Exit status: 0 success, 1 a recording could not be read, 2 invalid arguments,
3 internal error, 130 cancelled. All formats but table contain every detection; a result of the server
contains the best 20,000.`;

/** @throws UsageError when parsing its arguments */
export const identifyCommand = (run: (options: IdentifyOptions) => Promise<void>) =>
  createCommand('identify')
    .summary('Identifies the birds in recordings and folders of recordings.')
    .description(description)
    .argument('<FILE|FOLDER...>')
    .option(
      '--format <FORMAT>',
      'table (default), json (one line a file), csv, raven, audacity, analyzer (CSV of BirdNET-Analyzer) or kaleidoscope; may repeat',
      (text: string, earlier: readonly Format[] | undefined): readonly Format[] => [
        ...new Set([...(earlier ?? []), oneOf(FORMATS)(text)]),
      ],
    )
    .option('--lat <DEGREES>', 'latitude of the recording, −90 to 90', numberWithin({ min: -90, max: 90 }))
    .option('--lon <DEGREES>', 'longitude of the recording, −180 to 180', numberWithin({ min: -180, max: 180 }))
    .option('--time-zone <NAME>', 'assume a place from a time zone (Europe/London); hides birds from elsewhere', nonEmptyText)
    .option('--date <YYYY-MM-DD>', 'date of the recording (default: its own; the whole year where it has none)', nonEmptyText)
    .option('--week <N>', 'or its week, 1 to 48, four per month', numberWithin(WEEKS))
    .option('--sites <CSV>', 'list of sites: folder or recorder → site, latitude, longitude, time zone', nonEmptyText)
    .option('--no-metadata', 'read neither time nor place from names and headers of recordings')
    .option('--species <FILE>', 'list of the species that may be named, one a line', nonEmptyText)
    .option('--strict-list', 'refuse a list of species with names that are not found')
    .option('--expected', 'name only birds that are expected at the place and week of a recording')
    .option(
      '--min-occurrence <SHARE>',
      `with --expected: how likely they must be (default: ${USUAL_OCCURRENCE})`,
      numberWithin(SHARE),
    )
    .option('--thresholds <CSV>', 'leave out detections below the thresholds that thresholds has written', nonEmptyText)
    .option('--merge', 'one row for neighbouring clips of a bird (default: a row for each clip of 3 s)')
    .option('--show-hidden', 'keep detections hidden by location, marked (default: leave them out)')
    .option('--sounds', 'also frogs, insects, engines, voices …, with a column Kind (default: birds only)')
    .option('--min-score <SCORE>', 'minimum score of a detection, 0 to 1 (default: 0.25)', numberWithin(SHARE))
    .option('--min-confidence <SHARE>', 'minimum confidence of what is listed, 0 to 1', numberWithin(SHARE), 0)
    .option('--overlap <SECONDS>', 'overlap of neighbouring clips, 0 to 2.9 s (default: 1.5)', numberWithin({ min: 0, max: 2.9 }))
    .option('--channel <N>', 'the only channel to analyse, 1 is the left one (default: all, mixed)', numberWithin(CHANNELS))
    .option('--fmin <HZ>', 'weaken frequencies below', numberWithin(HERTZ))
    .option('--fmax <HZ>', 'weaken frequencies above', numberWithin(HERTZ))
    .option('--speed <FACTOR>', 'play slower (0.1 for bats) or faster, 0.05 to 20 (default: 1)', numberWithin(SPEEDS))
    .option('--language <CODE>', 'language of species names, such as de', nonEmptyText)
    .option('--top <N>', 'number of candidates per recording', numberWithin({ min: 1, max: 100, whole: true }), 5)
    .option('--out <FILE>', 'file, or FOLDER/ for a file a recording (default: standard output)', nonEmptyText)
    .option('--overwrite', 'replace the file that --out names, if there is one')
    .option('--excel-safe', 'csv: for Excel (UTF-8), with file names that no spreadsheet runs as formulas')
    .action((asked, given) => {
      const { lat, lon, date, week, timeZone, sites, species, thresholds, minOccurrence, out } = given;
      const { expected = false, strictList = false, overwrite = false, excelSafe = false, format: formats = ['table'] } = given;
      const { minScore, overlap, language, top, minConfidence, showHidden = false, sounds = false } = given;
      if (asked.includes('')) throw new UsageError('One of the recordings has an empty name. Use "." for the current folder.');
      if (asked.includes('-'))
        throw new UsageError('identify can’t read a recording from a pipe. Save it to a file and name that file instead of "-".');
      if (timeZone !== undefined && (lat !== undefined || lon !== undefined))
        throw new UsageError('Give --time-zone or a place, not both.');
      if (minOccurrence !== undefined && !expected) throw new UsageError('--min-occurrence needs --expected.');
      if (strictList && species === undefined) throw new UsageError('--strict-list needs --species.');
      if (expected && timeZone !== undefined)
        throw new UsageError('--expected needs a place: give --lat and --lon or --sites, not --time-zone.');
      const stated = { latitude: lat, longitude: lon, date, week };
      if (excelSafe && !formats.includes('csv')) throw new UsageError('--excel-safe is for --format csv.');
      const isFile = out !== undefined && out !== '-';
      if (formats.length > 1 && !isFile) throw new UsageError('Several formats need --out: the beginning of the files’ names.');
      if (overwrite && !isFile) throw new UsageError('--overwrite needs --out: the name of the file.');
      return run({
        asked,
        formats,
        out: isFile ? out : null,
        overwrites: overwrite,
        place: lat === undefined && lon === undefined && sites !== undefined ? null : readPlace(stated),
        sites: sites ?? null,
        species: species ?? null,
        isStrict: strictList,
        thresholds: thresholds ?? null,
        preprocessing: readPreprocessing(given),
        perClip: !given.merge,
        minOccurrence: expected ? (minOccurrence ?? USUAL_OCCURRENCE) : null,
        when: readWhen(stated),
        readsMetadata: given.metadata,
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(minScore === undefined ? {} : { minScore }),
        ...(overlap === undefined ? {} : { overlapSeconds: overlap }),
        ...(language === undefined ? {} : { language }),
        top,
        tables: { showHidden, minConfidence, excelSafe, sounds },
      });
    });

interface PlaceAndDateOptions {
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  readonly date: string | undefined;
  readonly week: number | undefined;
}

/** @throws UsageError when both are given, or the date does not exist */
function readWhen({ date, week }: PlaceAndDateOptions): IdentifyOptions['when'] {
  if (date !== undefined && week !== undefined) throw new UsageError('Give --date or --week, not both.');
  if (date !== undefined) return { week: weekOfDate(date), date };
  return week === undefined ? null : { week };
}

/** @throws UsageError when only one coordinate is given, or a time without a place */
export function readPlace(given: PlaceAndDateOptions): PlaceAndTime | null {
  const { latitude, longitude, date } = given;
  const when = readWhen(given);
  if (latitude === undefined && longitude === undefined) {
    if (when !== null)
      throw new UsageError(`--${date === undefined ? 'week' : 'date'} needs a place: add --lat and --lon, or --sites.`);
    return null;
  }
  if (latitude === undefined) throw new UsageError('--lon needs --lat as well.');
  if (longitude === undefined) throw new UsageError('--lat needs --lon as well.');
  return { latitude, longitude, ...when };
}

function weekOfDate(text: string): number {
  const [year = 0, month = 0, day = 0] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw new UsageError(`--date takes a date such as 2026-05-01, not "${text}".`);
  return weekOf(month, day);
}
