import { createCommand, type FilteredTables, nonEmptyText, numberWithin } from '../command-line.ts';
import { SHARE } from '../identify/options.ts';

export interface SummariseOptions extends FilteredTables {
  readonly out: string;
  /** File with the list of sites; their time zones tell when clocks change within a recording. */
  readonly sites: string | null;
  readonly title: string;
  readonly overwrites: boolean;
}

const description = `Summarises tables of identify: which species was heard when and where, and how long it was listened.

The tables are CSV of identify; of a folder, all CSV files in it are read. The list of recordings beside
a table (NAME.files.csv) says what was listened to: without it, silence cannot be told from what was not.
Give each recording once.

Writes into the folder of --out:
  species-hour.csv      a row for each species and hour of the day
  species-day-site.csv  a row for each species, site and day of the season
  effort.csv            a row for each site and day: recordings and hours listened
  report.html           heat maps, effort, method and attribution; opens by itself, without network

Detections are zero where it was listened and nothing heard, and blank where it was not listened. A
recording that could not be analysed counts as not listened. Days and hours are those of the clocks at the
site; a recording over midnight counts for both days. Where clocks change within a recording, only
the time zone of its site (--sites, as for identify) tells when. Detections hidden by location are
left out, and so are those below --thresholds and those that --labels reject; what people confirmed
counts whatever its confidence. Days without recordings are in the tables, except in a gap of more than half a
year. A few recordings far from all others are named. Exit status: 0 success, 1 a table could not be read,
2 invalid arguments, 3 internal error, 130 cancelled.`;

/** @throws UsageError when parsing its arguments */
export const summariseCommand = (run: (options: SummariseOptions) => Promise<void>) =>
  createCommand('summarise')
    .summary('Summarises tables of identify: which species was heard when and where.')
    .description(description)
    .usage('<TABLE...> --out DIR [options]')
    .argument('<TABLE...>')
    .requiredOption('--out <DIR>', 'folder for the summaries', nonEmptyText)
    .option('--sites <CSV>', 'list of sites: folder or recorder → site, latitude, longitude, time zone', nonEmptyText)
    .option('--title <TEXT>', 'title of the report', nonEmptyText, 'Summary of recordings')
    .option('--min-confidence <SHARE>', 'minimum confidence, 0 to 1', numberWithin(SHARE), 0)
    .option('--min-score <SCORE>', 'minimum score, 0 to 1', numberWithin(SHARE), 0)
    .option('--thresholds <CSV>', 'leave out detections below the thresholds that thresholds has written', nonEmptyText)
    .option('--labels <CSV>', 'leave out detections that people said are another bird or none', nonEmptyText)
    .option('--overwrite', 'replace files that are there')
    .action((tables, { sites = null, thresholds = null, labels = null, overwrite = false, ...given }) =>
      run({ ...given, tables, sites, thresholds, labels, overwrites: overwrite }),
    );
