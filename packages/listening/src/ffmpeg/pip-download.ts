import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DecoderError } from './errors.ts';

/** The ways in which pip is started, in order; a machine may have any one of them. */
const PIPS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['pip'],
  ['pip3'],
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
];

/** What to do when pip will not do, as the end of a sentence. */
export const BY_HAND = 'or install ffmpeg 5 or later yourself (a package of your system, or FFMPEG_PATH) and start again.';

export interface PipDownloadOptions {
  readonly requirement: string;
  readonly platformTag: string;
  /** An empty folder; the wheel arrives there. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches one wheel with pip and returns its path. Nothing is installed and nothing of the package runs.
 *
 * @throws DecoderError `PIP_NOT_FOUND`, `DOWNLOAD_FAILED`
 * @throws the signal's reason when it aborts
 */
export async function pipDownload(options: PipDownloadOptions): Promise<string> {
  const { requirement, platformTag, folder, signal } = options;
  const args = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--platform',
    platformTag,
    '--no-input',
    '--disable-pip-version-check',
    '--progress-bar',
    'off',
    '--timeout',
    '10',
    '--retries',
    '1',
    '--dest',
    folder,
    requirement,
  ];
  let lastFailure: string | undefined;
  for (const [program, ...before] of PIPS) {
    const ran = await runQuietly(program, [...before, ...args], signal);
    signal?.throwIfAborted();
    if (ran === 'not there') continue;
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (ran.code === 0 && wheel !== undefined) return join(folder, wheel);
    lastFailure = lastLines(ran.output);
    // A Python without pip is as good as no Python; any other failure would only repeat.
    if (!/No module named pip/.test(ran.output)) break;
  }
  if (lastFailure === undefined) {
    throw new DecoderError(
      'PIP_NOT_FOUND',
      `Fetching ffmpeg: neither pip nor python3 can be run on this machine. Install Python with pip, ${BY_HAND}`,
    );
  }
  throw new DecoderError(
    'DOWNLOAD_FAILED',
    `Fetching ffmpeg: pip did not bring ${requirement} (${lastFailure}). Check that this machine reaches the Python package index, ${BY_HAND}`,
  );
}

async function runQuietly(
  program: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ code: number | null; output: string } | 'not there'> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      ...(signal === undefined ? {} : { signal }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.name !== 'AbortError') resolve(error.code === 'ENOENT' ? 'not there' : { code: null, output: error.message });
    });
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** The end of what pip said: its errors if it names some, on one line. */
function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /^error/i.test(line));
  const kept = errors.length > 0 ? errors : lines.filter((line) => line !== '');
  return kept.slice(-2).join(' ') || 'it said nothing';
}
