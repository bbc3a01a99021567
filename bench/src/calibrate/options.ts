import { createCommand, nonEmptyText } from '@chiffchaff/cli';

export interface CalibrateOptions {
  readonly recordings: string;
  readonly table: string;
  /** null: `test` if the table has it, otherwise every recording */
  readonly unseenSplit: string | null;
  /** null: the description folder of the model */
  readonly output: string | null;
  /** compare with the existing file instead of writing it */
  readonly check: boolean;
}

const description = `Fits the confidence to recordings of known species and counts how often its words are right.

Each recording is analysed once, which takes minutes. The same recordings and model give the same file,
byte for byte, on the same machine; another processor may round differently. The counts are
cross-validated: each recording is evaluated with a fit that has seen neither its species nor its
source. The coefficients in use remain those of calibration.json; the report says whether the new ones
are better, and whether each word of the ones in use is right as often as it says.

The confidence of single detections is fitted to the same recordings without the unseen split, each by
itself and joined into hours in three orders; each hour is analysed as one recording, which takes
a few more minutes.`;

/** @throws UsageError when parsing the arguments */
export const calibrateCommand = (run: (options: CalibrateOptions) => Promise<void>) =>
  createCommand('calibrate')
    .description(description)
    .usage('--recordings DIR --table TSV [options]')
    .requiredOption('--recordings <DIR>', 'folder with the recordings', nonEmptyText)
    .requiredOption('--table <TSV>', 'tab-separated: file, split, scientific_name, group; source_id where known', nonEmptyText)
    .option(
      '--unseen-split <NAME>',
      'split that the coefficients in use were not fitted on (default: test, or else all)',
      nonEmptyText,
    )
    .option('--output <FILE>', 'file to write (default: confidence-evidence.json of the model)', nonEmptyText)
    .option('--check', 'write nothing, and fail if the file would change')
    .action(({ recordings, table, unseenSplit = null, output = null, check = false }) =>
      run({ recordings, table, unseenSplit, output, check }),
    );
