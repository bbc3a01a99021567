import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DecoderError } from './errors.ts';

/** The ways in which pip is started, in order; a machine may have any one of them. */
const pips: readonly (readonly [program: string, ...args: string[]])[] = [
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
  /** Waits before pip is asked again, as often as there are: an index that is slow may answer a moment later. */
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** A pip that has not ended by then hangs. */
  readonly timeoutMs?: number | undefined;
}

const defaultRetryDelaysMs = [2_000, 8_000];
const DEFAULT_TIMEOUT_MS = 600_000;

/**
 * Fetches one wheel with pip and returns its path. Nothing is installed and nothing of the package runs.
 *
 * @throws DecoderError `PIP_NOT_FOUND`, `DOWNLOAD_FAILED`
 * @throws the signal's reason when it aborts
 */
export async function pipDownload(options: PipDownloadOptions): Promise<string> {
  const { requirement, platformTag, folder, signal } = options;
  const { retryDelaysMs = defaultRetryDelaysMs, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
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
    '15',
    '--retries',
    '0',
    '--dest',
    folder,
    requirement,
  ];
  let lastFailure: string | undefined;
  for (const [program, ...before] of pips) {
    let isPip = false;
    for (const delayMs of [0, ...retryDelaysMs]) {
      if (delayMs > 0) await wait(delayMs, undefined, { signal });
      const ran = await runQuietly(program, [...before, ...args], timeoutMs, signal);
      signal?.throwIfAborted();
      if (ran === 'not there') break;
      const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
      if (ran.code === 0 && wheel !== undefined) return join(folder, wheel);
      lastFailure = ran.timedOut ? `it had not ended after ${timeoutMs / 1000} s` : lastLines(ran.output);
      // A Python without pip is as good as no Python.
      isPip = !/No module named pip/.test(ran.output);
      if (!isPip || ran.timedOut) break;
    }
    if (isPip) break;
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
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ code: number | null; output: string; timedOut: boolean } | 'not there'> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.name !== 'AbortError')
        resolve(error.code === 'ENOENT' ? 'not there' : { code: null, output: error.message, timedOut: false });
    });
    child.on('close', (code) => resolve({ code, output, timedOut: code === null && child.killed }));
  });
}

/** The end of what pip said: its errors if it names some, on one line. */
function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /^error/i.test(line));
  const kept = errors.length > 0 ? errors : lines.filter((line) => line !== '');
  return kept.slice(-2).join(' ') || 'it said nothing';
}
