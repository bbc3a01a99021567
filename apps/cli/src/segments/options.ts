import { type Choice, choices } from '@chiffchaff/survey';
import { createCommand, type FilteredTables, nonEmptyText, numberWithin, oneOf } from '../command-line.ts';
import { SHARE } from '../identify/options.ts';

const FORMATS = ['wav', 'flac'] as const;
const LENGTH = { min: 0.1, max: 600 } as const;

export interface SegmentsOptions extends FilteredTables {
  readonly out: string;
  /** folder that names of recordings are relative to; null: the current folder, then the table's */
  readonly recordings: string | null;
  readonly perSpecies: number;
  readonly choose: Choice;
  readonly seconds: number;
  readonly padding: number | null;
  readonly seed: number;
  readonly format: (typeof FORMATS)[number];
  readonly overwrites: boolean;
}

const description = `Cuts segments out of recordings, for listening, sorting and training: so many of each species.

The tables are CSV of identify; of a folder, all CSV files in it are read. Each segment is a file in the
folder of its species, named after its confidence, recording and start, so that a file manager lists
the surest last. It has the sample rate and the channels of its recording and nothing but sound: no
time, place or other metadata. segments.csv lists what each file is.

--choose best takes those of the highest confidence, random any, and balanced as many from each tenth of
the range of confidence, as far as there are: for a threshold, look at balanced segments. The same seed
and tables give the same segments.

A segment is --seconds long, around the middle of its detection. With --padding it holds the whole
detection and so many seconds before and after, and --seconds is the least; it is never longer than the
recording. Detections that are hidden by location, below --thresholds or rejected by --labels are left
out; what people confirmed is cut whatever its confidence.

The recordings are looked for where the table says, from --recordings, or else from the current folder and
from the folder of the table. In the folder of --recordings, the longest end of a path counts that is there:
D:\\cards\\B\\a.wav may be B/a.wav. A recording that is missing or damaged is named on standard error, and
the rest is cut. Files that are there are only replaced with --overwrite. Exit status: 0 success,
1 a recording or a table could not be read, 2 invalid arguments, 3 internal error, 130 cancelled.`;

/** @throws UsageError when parsing its arguments */
export const segmentsCommand = (run: (options: SegmentsOptions) => Promise<void>) =>
  createCommand('segments')
    .summary('Cuts segments out of recordings, for listening, sorting and training.')
    .description(description)
    .usage('--in TABLE… --out DIR [options]')
    .requiredOption('--in <TABLE...>', 'CSV tables of identify, or folders of them')
    .requiredOption('--out <DIR>', 'folder for the segments', nonEmptyText)
    .option('--recordings <DIR>', 'folder that file names in the tables are relative to', nonEmptyText)
    .option('--per-species <N>', 'segments of each species at most', numberWithin({ min: 1, max: 1_000_000, whole: true }), 100)
    .option('--choose <HOW>', 'random, best or balanced', oneOf(choices), 'balanced')
    .option('--seconds <S>', 'length of a segment, 0.1 to 600 s', numberWithin(LENGTH), 5)
    .option('--padding <S>', 'whole detections, with so much before and after', numberWithin({ min: 0, max: 60 }))
    .option('--seed <N>', 'another seed chooses others', numberWithin({ min: 0, max: 2 ** 32, whole: true }), 1)
    .option('--format <FORMAT>', 'wav or flac', oneOf(FORMATS), 'wav')
    .option('--min-confidence <SHARE>', 'minimum confidence, 0 to 1', numberWithin(SHARE), 0)
    .option('--min-score <SCORE>', 'minimum score, 0 to 1', numberWithin(SHARE), 0)
    .option('--thresholds <CSV>', 'leave out detections below the thresholds that thresholds has written', nonEmptyText)
    .option('--labels <CSV>', 'leave out detections that people said are another bird or none', nonEmptyText)
    .option('--overwrite', 'replace files that are there')
    .action(({ in: tables, recordings = null, padding = null, thresholds = null, labels = null, overwrite = false, ...given }) =>
      run({ ...given, tables, recordings, padding, thresholds, labels, overwrites: overwrite }),
    );
