import { describeOptions, listed, type OptionSpecs, readArguments, UsageError } from '@chiffchaff/cli';

export const PARTS = ['clips', 'check-up', 'recordings', 'http', 'memory', 'reference'] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly json: boolean;
  /** shorter recordings and fewer runs: a look, not a measurement */
  readonly quick: boolean;
  /** looped to make the long recordings, instead of made-up chirps */
  readonly recording: string | null;
}

const specs = {
  json: { help: 'print JSON' },
  quick: { help: 'short recordings and few runs: a look, not a measurement' },
  only: { value: 'PARTS', help: `some of ${PARTS.join(',')}` },
  recording: { value: 'FILE', help: 'a recording to loop instead of made-up chirps' },
  help: { help: 'this page' },
} as const satisfies OptionSpecs;

export const benchHelp = `Measures speed and memory on this machine; every figure is a median of at least five runs.

  npm run bench -- [options]

clips       milliseconds for one clip, with one worker and with all
check-up    milliseconds for the check-up of a minute of sound, beside listening to it
recordings  an hour of WAV (48 and 44.1 kHz) and MP3 from file to answer, times real time
http        15 s of M4A sent to a server of its own: median and 95th percentile
memory      of all processes together, for one hour and three hours, two workers
reference   the reference interpreter beside it (python3 with ai_edge_litert; MODEL_FILE)

${describeOptions(specs)}
`;

/** @throws UsageError */
export function readBenchOptions(args: readonly string[]): BenchOptions | null {
  const given = readArguments('bench', specs, args);
  if (given.flag('help')) return null;
  if (given.positionals.length > 0) throw new UsageError(`bench takes options only; we found "${given.positionals[0]}".`);
  const only = given.text('only')?.split(',');
  const strange = only?.find((part) => !PARTS.some((known) => known === part));
  if (strange !== undefined) throw new UsageError(`--only takes ${listed(PARTS)}, with commas between; we found "${strange}".`);
  return {
    parts: only === undefined ? PARTS : PARTS.filter((part) => only.includes(part)),
    json: given.flag('json'),
    quick: given.flag('quick'),
    recording: given.text('recording') ?? null,
  };
}
