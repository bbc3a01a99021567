import { describeOptions, type OptionSpecs, readArguments, UsageError } from '@chiffchaff/cli';

export interface CalibrateOptions {
  readonly recordings: string;
  readonly table: string;
  /** null: `test` where the table has it, else every recording */
  readonly unseenSplit: string | null;
  /** null: the description folder of the model */
  readonly output: string | null;
  /** null: the folder `cache/evidence` of `DATA_DIR` */
  readonly cache: string | null;
  /** compare with what is there instead of writing it */
  readonly check: boolean;
}

const specs = {
  recordings: { value: 'DIR', help: 'folder of the recordings' },
  table: { value: 'TSV', help: 'tab-separated: file, split, scientific_name, group; source_id where known' },
  'unseen-split': {
    value: 'NAME',
    help: 'split that the coefficients in use were not fitted on (default: test, or else all of them)',
  },
  output: { value: 'FILE', help: 'where to write (default: confidence-evidence.json of the model)' },
  cache: { value: 'DIR', help: 'what was heard is kept here (default: cache/evidence in DATA_DIR)' },
  check: { help: 'write nothing; fail when the file would change' },
  help: { help: 'this page' },
} as const satisfies OptionSpecs;

export const calibrateHelp = `Fits the confidence to recordings whose species is known, and counts how often its words are right.

  npm run calibrate -- --recordings DIR --table TSV [options]

Each recording is listened to once, which takes minutes; a later run takes less than one. The same
recordings and model give the same file, byte for byte. What it counts is cross-validated: each
recording is judged by a fit that has met neither its species nor its source. The coefficients in
use stay those of calibration.json; the report says whether the new ones are better.

${describeOptions(specs)}
`;

/** @throws UsageError */
export function readCalibrateOptions(args: readonly string[]): CalibrateOptions | null {
  const given = readArguments('calibrate', specs, args);
  if (given.flag('help')) return null;
  if (given.positionals.length > 0) throw new UsageError(`calibrate takes options only; we found "${given.positionals[0]}".`);
  const recordings = given.text('recordings');
  const table = given.text('table');
  if (recordings === undefined || table === undefined) throw new UsageError('calibrate needs --recordings DIR and --table TSV.');
  return {
    recordings,
    table,
    unseenSplit: given.text('unseen-split') ?? null,
    output: given.text('output') ?? null,
    cache: given.text('cache') ?? null,
    check: given.flag('check'),
  };
}
