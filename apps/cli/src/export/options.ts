import {
  type CamtrapOptions,
  captureMethods,
  type EbirdOptions,
  ebirdProtocols,
  type Licence,
  licences,
  samplingDesigns,
} from '@chiffchaff/survey/exports';
import { UsageError } from '../command-error.ts';
import { createCommand, type FilteredTables, listed, nonEmptyText, numberWithin, oneOf } from '../command-line.ts';

const FORMATS = ['camtrap-dp', 'darwin-core', 'ebird'] as const;
const LICENCES = Object.keys(licences) as Licence[];
const NAMES = ['scientific', 'common'] as const;
const TAXONOMIES = ['2021', '2025'] as const;

/** What each format needs besides the tables. */
export type ExportFormat =
  | { readonly format: 'camtrap-dp'; readonly given: Omit<CamtrapOptions, 'now'> }
  | {
      readonly format: 'darwin-core';
      readonly given: { readonly title: string; readonly creator: string; readonly licence: Licence };
    }
  | { readonly format: 'ebird'; readonly given: EbirdOptions };

export interface ExportOptions extends Omit<FilteredTables, 'minConfidence' | 'minScore'> {
  readonly to: ExportFormat;
  readonly out: string;
  readonly overwrites: boolean;
  readonly onlyConfirmed: boolean;
  /** The taxonomy that names of birds follow. */
  readonly taxonomy: (typeof TAXONOMIES)[number];
  /** Whether to leave out what the format cannot hold; otherwise it is an error. */
  readonly leavesOutIncomplete: boolean;
}

const description = `Writes detections as other programs and archives take them. TABLES are CSV tables of identify; the list of
files that identify writes beside each (NAME.files.csv) is read with it and tells where and when was listened.

camtrap-dp: a folder with a data package (Camtrap DP 1.0.2). It needs --title, --creator and --sampling-design.
darwin-core: a ZIP file with a Darwin Core archive, as GBIF takes it: an event for each recording, an
occurrence for each detection. It needs --title, --creator and --license.
ebird: CSV in eBird's record format. It needs --labels: only birds that a person confirmed are in it. More than
eBird takes at once (1 MB) goes to NAME-2.csv and so on.

Names are those of BirdNET, which follows eBird of 2021. With --taxonomy 2025, names that changed since are
as today, and species that were split since are marked and listed, for you to choose.

With --labels, what a person confirmed is a human's observation, and what is not that bird is left out. Of several
labels of one person the last counts; where people disagree, a detection counts as not confirmed.
What is confirmed is exported, however far below --thresholds.
docs/exports.md tells what each column is made from.`;

const flags = () =>
  createCommand('export')
    .summary('Writes detections as other programs and archives take them.')
    .description(description)
    .usage('TABLES… --format FORMAT --out PATH [options]')
    .argument('<TABLES...>', 'CSV tables of identify')
    .requiredOption('--format <FORMAT>', listed(FORMATS), oneOf(FORMATS))
    .requiredOption('--out <PATH>', 'file, or for camtrap-dp folder, to write', nonEmptyText)
    .option('--overwrite', 'replace what is there of an earlier export')
    .option('--labels <CSV>', 'what people said of detections: see docs/exports.md', nonEmptyText)
    .option('--thresholds <CSV>', 'leave out detections below the thresholds that thresholds has written', nonEmptyText)
    .option('--only-confirmed', 'leave out what nobody confirmed')
    .option(
      '--leave-out-incomplete',
      'leave out what lacks the place or time that the format asks for, and labels that name no species',
    )
    .option('--taxonomy <YEAR>', 'names of eBird in 2021 or 2025 (default: 2025 for ebird, else 2021)', oneOf(TAXONOMIES))
    .option('--title <TEXT>', 'title of the data set', nonEmptyText)
    .option('--creator <NAME>', 'person or organisation that it is of', nonEmptyText)
    .option('--license <NAME>', `licence of the data: ${listed(LICENCES)}`, oneOf(LICENCES))
    .option('--media-license <NAME>', 'camtrap-dp: licence of the recordings, likewise', oneOf(LICENCES))
    .option('--sampling-design <DESIGN>', `camtrap-dp: ${listed(samplingDesigns)}`, oneOf(samplingDesigns))
    .option(
      '--capture-method <METHOD>',
      'camtrap-dp: timeLapse (by schedule) or activityDetection (by sound)',
      oneOf(captureMethods),
      'timeLapse',
    )
    .option('--protocol <PROTOCOL>', `ebird: ${listed(ebirdProtocols)}`, oneOf(ebirdProtocols), 'Incidental')
    .option('--observers <N>', 'ebird: number of observers', numberWithin({ min: 1, max: 100, whole: true }))
    .option('--country <CODE>', 'ebird: two letters, such as DE (default: eBird asks)', nonEmptyText)
    .option('--state <CODE>', 'ebird: state or province, such as NY (default: eBird asks)', nonEmptyText)
    .option('--names <KIND>', `ebird: name birds by ${listed(NAMES)} names`, oneOf(NAMES), 'scientific')
    .option('--complete', 'ebird: the lists have every bird that was there (default: they have not)');

/** @throws UsageError when parsing its arguments */
export const exportCommand = (run: (options: ExportOptions) => Promise<void>) =>
  flags().action((tables, given) => {
    const { out, overwrite = false, labels = null, thresholds = null, onlyConfirmed = false, leaveOutIncomplete = false } = given;
    return run({
      tables,
      out,
      overwrites: overwrite,
      labels,
      thresholds,
      onlyConfirmed,
      leavesOutIncomplete: leaveOutIncomplete,
      taxonomy: given.taxonomy ?? (given.format === 'ebird' ? '2025' : '2021'),
      to: readFormat(given),
    });
  });

function readFormat(given: ReturnType<ReturnType<typeof flags>['opts']>): ExportFormat {
  const { format } = given;
  const need = <Value>(option: string, value: Value | undefined, such: string): Value => {
    if (value === undefined) throw new UsageError(`The format ${format} needs ${option}, such as ${such}.`);
    return value;
  };
  if (format === 'ebird') {
    if (given.labels === undefined)
      throw new UsageError(
        'eBird takes only birds that a person confirmed: label detections as docs/exports.md describes and give the file with --labels.',
      );
    const { protocol, observers = null, country = '', state = '', names, complete = false } = given;
    return {
      format,
      given: { protocol, observers, country: country.toUpperCase(), state, names, complete },
    };
  }
  const title = need('--title', given.title, '"Birds of the pond, spring 2026"');
  const creator = need('--creator', given.creator, '"Ada Finch"');
  if (format === 'darwin-core')
    return { format, given: { title, creator, licence: need('--license', given.license, 'CC0-1.0') } };
  const samplingDesign = need('--sampling-design', given.samplingDesign, `opportunistic (or ${listed(samplingDesigns)})`);
  const { captureMethod, license, mediaLicense } = given;
  if ((license === undefined) !== (mediaLicense === undefined))
    throw new UsageError('Camtrap DP has a licence of the data and one of the recordings: give --license and --media-license.');
  const chosen = license && mediaLicense ? { data: license, media: mediaLicense } : null;
  return { format, given: { title, creator, samplingDesign, captureMethod, licences: chosen } };
}
