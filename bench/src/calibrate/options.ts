import { createCommand, nonEmptyText } from '@chiffchaff/cli';

export interface CalibrateOptions {
  readonly recordings: string;
  readonly table: string;
  /** otherwise `test` if the table has it, or else every recording */
  readonly unseenSplit?: string | undefined;
  /** what `evaluate --scenes` saved; without it, the words are not counted in scenes */
  readonly scenes?: string | undefined;
  /** otherwise in the description folder of the model */
  readonly output?: string | undefined;
  /** compare with the existing file instead of writing it */
  readonly check?: true | undefined;
}

const description = `Counts how often the words of confidence are right in recordings of known species.

Each recording is analysed once, which takes minutes. The same recordings and model give the same file,
byte for byte, on the same machine; another processor may round differently. The words of calibration.json
are counted on the split that its coefficients were not fitted to. All recordings are counted by
cross-validation, too: each is evaluated with a fit that has seen neither its species nor its source.

Prints coefficients fitted to the recordings outside that split, for a new model. Those of further birds
and of detections are fitted to scenes of several birds: see npm run evaluate -- --scenes.`;

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
    .option('--scenes <FILE>', 'what npm run evaluate -- --scenes saved; its counts are added', nonEmptyText)
    .option('--output <FILE>', 'file to write (default: confidence-evidence.json of the model)', nonEmptyText)
    .option('--check', 'write nothing, and fail if the file would change')
    .action((options) => run(options));
