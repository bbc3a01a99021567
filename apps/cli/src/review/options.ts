import { createCommand, type FilteredTables, nonEmptyText, numberWithin } from '../command-line.ts';
import { SHARE } from '../identify/options.ts';
import { TARGET } from '../thresholds/options.ts';

export interface ReviewCommandOptions extends Omit<FilteredTables, 'minScore' | 'labels'> {
  /** folder that names of recordings are relative to; null: the current folder, then the table's */
  readonly recordings: string | null;
  readonly labels: string;
  readonly by: string;
  readonly target: number;
}

const description = `Opens a page on this machine where detections are listened to and labelled, one key a label.

TABLES are CSV of identify; of a folder, all CSV files in it are read. The address that is printed opens the
page in a browser here: yes, no, unsure or another species, with the spectrogram and three seconds before
and after. What comes next is where a label tells most about the precision at the threshold of the species
(--target); a species is done when that is known to ± 5 points, usually after some 60 labels.

Each label is on the disk before the page goes on, in the CSV that --labels names (docs/exports.md has its
columns); a review goes on where it ended. thresholds works out thresholds from it, and export takes it.

The recordings are looked for from --recordings, or else from the current folder and from the folder of the
table; nothing outside of these is opened. The page is served on 127.0.0.1 to those who have the address, as
long as the command runs: end it with Ctrl-C. Exit status: 1 a table could not be read, 2 invalid arguments,
3 internal error, 130 ended.`;

/** @throws UsageError when parsing its arguments */
export const reviewCommand = (run: (options: ReviewCommandOptions) => Promise<void>) =>
  createCommand('review')
    .summary('Opens a page on this machine where detections are listened to and labelled.')
    .description(description)
    .usage('<TABLES...> [options]')
    .argument('<TABLES...>')
    .option('--recordings <DIR>', 'folder that file names in the tables are relative to', nonEmptyText)
    .option('--labels <CSV>', 'file of labels, which is added to', nonEmptyText, 'labels.csv')
    .option('--by <NAME>', 'who labels; another name counts as another opinion', nonEmptyText, 'me')
    .option('--target <SHARE>', 'share of detections kept that is to be right, 0.5 to 0.999', numberWithin(TARGET), 0.95)
    .option('--min-confidence <SHARE>', 'leave out detections below, 0 to 1', numberWithin(SHARE), 0)
    .option('--thresholds <CSV>', 'leave out detections below the thresholds that thresholds has written', nonEmptyText)
    .action((tables, { recordings = null, thresholds = null, ...given }) => run({ ...given, tables, recordings, thresholds }));
