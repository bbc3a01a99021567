import { createCommand, numberWithin, someText } from '../command-line.ts';
import { readPlace, SHARE, WEEKS } from '../identify/options.ts';

export interface EvaluateOptions {
  readonly recordings: string;
  readonly table: string;
  /** null: every split, each by itself */
  readonly split: string | null;
  readonly place: { readonly latitude: number; readonly longitude: number; readonly week: number | null } | null;
  /** Birds less likely than this at the place are left out of its figures. */
  readonly minOccurrence: number;
  readonly json: string | null;
  readonly passages: boolean;
  /** recordings in each of the passage trials */
  readonly sample: number;
}

/** @throws UsageError from its parsing */
export const evaluateCommand = (run: (options: EvaluateOptions) => Promise<void>) =>
  createCommand('evaluate')
    .description('Measures accuracy against a table of recordings whose species is known.')
    .usage('--recordings DIR --table TSV [options]')
    .requiredOption('--recordings <DIR>', 'folder of the recordings', someText)
    .requiredOption('--table <TSV>', 'tab-separated, with columns file, split, scientific_name, group', someText)
    .option('--split <NAME>', 'only rows of this split (default: each split by itself)', someText)
    .option('--lat <DEGREES>', 'also with a place: latitude', numberWithin({ min: -90, max: 90 }))
    .option('--lon <DEGREES>', 'and longitude', numberWithin({ min: -180, max: 180 }))
    .option('--week <N>', 'and the week, 1 to 48 (default: the whole year)', numberWithin(WEEKS))
    .option('--min-occurrence <SHARE>', 'birds that count as local at the place', numberWithin(SHARE), 0.03)
    .option('--passages', 'also: birds in ten minutes of background, and one bird after another')
    .option('--sample <N>', 'recordings in each of those two trials', numberWithin({ min: 1, max: 10_000, whole: true }), 60)
    .option('--json <FILE>', 'where to write the figures (default: evaluation.json in DATA_DIR)', someText)
    .action(({ lat, lon, week, split = null, json = null, passages = false, ...given }) => {
      const place = readPlace({ latitude: lat, longitude: lon, date: undefined, week });
      return run({ ...given, split, json, passages, place: place === null ? null : { ...place, week: place.week ?? null } });
    });
