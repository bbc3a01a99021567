import { describeOptions, type OptionSpecs, readArguments } from '../arguments.ts';
import { UsageError } from '../command-error.ts';
import { readPlace } from '../identify/options.ts';

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

const specs = {
  recordings: { value: 'DIR', help: 'folder of the recordings' },
  table: { value: 'TSV', help: 'tab-separated, with columns file, split, scientific_name, group' },
  split: { value: 'NAME', help: 'only rows of this split (default: each split by itself)' },
  lat: { value: 'DEGREES', help: 'also with a place: latitude' },
  lon: { value: 'DEGREES', help: 'and longitude' },
  week: { value: 'N', help: 'and the week, 1 to 48 (default: the whole year)' },
  'min-occurrence': { value: 'SHARE', help: 'birds that count as local at the place (default 0.03)' },
  passages: { help: 'also: birds in ten minutes of background, and one bird after another' },
  sample: { value: 'N', help: 'recordings in each of those two trials (default 60)' },
  json: { value: 'FILE', help: 'where to write the figures (default: evaluation.json in DATA_DIR)' },
  help: { help: 'this page' },
} as const satisfies OptionSpecs;

export const evaluateHelp = `Measures accuracy against a table of recordings whose species is known.

  ./chiffchaff evaluate --recordings DIR --table TSV [options]

${describeOptions(specs)}
`;

/** @throws UsageError */
export function readEvaluateOptions(args: readonly string[]): EvaluateOptions | null {
  const given = readArguments('evaluate', specs, args);
  if (given.flag('help')) return null;
  if (given.positionals.length > 0) throw new UsageError(`evaluate takes options only; we found "${given.positionals[0]}".`);
  const recordings = given.text('recordings');
  const table = given.text('table');
  if (recordings === undefined || table === undefined) throw new UsageError('evaluate needs --recordings DIR and --table TSV.');
  const place = readPlace({
    latitude: given.number('lat', { min: -90, max: 90 }),
    longitude: given.number('lon', { min: -180, max: 180 }),
    date: undefined,
    week: given.number('week', { min: 1, max: 48, whole: true }),
  });
  return {
    recordings,
    table,
    split: given.text('split') ?? null,
    place: place === null ? null : { ...place, week: place.week ?? null },
    minOccurrence: given.number('min-occurrence', { min: 0, max: 1 }) ?? 0.03,
    json: given.text('json') ?? null,
    passages: given.flag('passages'),
    sample: given.number('sample', { min: 1, max: 10_000, whole: true }) ?? 60,
  };
}
