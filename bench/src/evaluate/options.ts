import { createCommand, nonEmptyText, numberWithin, readPlace, SHARE, WEEKS } from '@chiffchaff/cli';

export interface EvaluateOptions {
  readonly recordings: string;
  readonly table: string;
  /** otherwise every split separately */
  readonly split?: string | undefined;
  readonly place: { readonly latitude: number; readonly longitude: number; readonly week: number | null } | null;
  /** Birds less likely than this at the place count as from elsewhere. */
  readonly minOccurrence: number;
  readonly json?: string | undefined;
  /** Split whose recordings are put together to scenes of several birds, instead of evaluating them one by one. */
  readonly scenes?: string | undefined;
  /** Which scenes are drawn. */
  readonly seed: number;
  /** What an earlier run with the same scenes saved, to compare with. */
  readonly before?: string | undefined;
}

/** @throws UsageError when parsing the arguments */
export const evaluateCommand = (run: (options: EvaluateOptions) => Promise<void>) =>
  createCommand('evaluate')
    .description('Measures accuracy with a table of recordings of known species.')
    .usage('--recordings DIR --table TSV [options]')
    .requiredOption('--recordings <DIR>', 'folder with the recordings', nonEmptyText)
    .requiredOption('--table <TSV>', 'tab-separated table with columns file, split, scientific_name, group', nonEmptyText)
    .option('--split <NAME>', 'only rows of this split (default: each split separately)', nonEmptyText)
    .option('--lat <DEGREES>', 'also evaluate with a place: its latitude', numberWithin({ min: -90, max: 90 }))
    .option('--lon <DEGREES>', 'its longitude', numberWithin({ min: -180, max: 180 }))
    .option('--week <N>', 'the week, 1 to 48 (default: the whole year)', numberWithin(WEEKS))
    .option('--min-occurrence <SHARE>', 'minimum occurrence of birds that count as local', numberWithin(SHARE), 0.03)
    .option('--scenes <SPLIT>', 'instead, put recordings of this split together to scenes of 0 to 7 birds', nonEmptyText)
    .option('--seed <N>', 'which scenes', numberWithin({ min: 1, max: 1_000_000, whole: true }), 1)
    .option('--before <FILE>', 'figures of an earlier run with these scenes, to compare with', nonEmptyText)
    .option('--json <FILE>', 'file for the figures (default: evaluation.json in DATA_DIR)', nonEmptyText)
    .action(({ lat, lon, week, ...given }) => {
      const place = readPlace({ latitude: lat, longitude: lon, date: undefined, week });
      return run({ ...given, place: place && { ...place, week: place.week ?? null } });
    });
