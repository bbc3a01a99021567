import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AcquireError, TransientError } from './acquire-error.ts';
import { diskFull } from './write-durably.ts';

/** Commands that may start pip, in the order they are tried. */
const pips: readonly (readonly [program: string, ...args: string[]])[] = [
  ['pip'],
  ['pip3'],
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
];

interface WheelOptions {
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  readonly pipTimeoutMs?: number;
}

/** Downloads one wheel with pip into `folder` and returns its path. Installs nothing and runs none of the package's code. */
export async function downloadWheel(
  { requirement, platform }: { readonly requirement: string; readonly platform?: string },
  { folder, signal, pipTimeoutMs = 600_000 }: WheelOptions,
): Promise<string> {
  const wanted = ['download', requirement, '--no-deps', '--only-binary=:all:', '--dest', folder];
  const forPlatform = platform === undefined ? [] : ['--platform', platform];
  const patience = ['--timeout', '15', '--retries', '0'];
  const quiet = ['--disable-pip-version-check', '--no-input', '--quiet'];
  for (const [program, ...before] of pips) {
    const args = [...before, ...wanted, ...forPlatform, ...patience, ...quiet];
    const ended = await run(program, args, folder, pipTimeoutMs, signal);
    if (ended === null || (!ended.ok && isNoPip(ended.output))) continue;
    if (ended.ok) {
      const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
      if (wheel !== undefined) return join(folder, wheel);
      throw new AcquireError('SOURCE_UNAVAILABLE', `pip did not save a wheel of ${requirement}`);
    }
    if (/No space left on device|ENOSPC/.test(ended.output)) throw diskFull(folder);
    const why = `pip could not download ${requirement}: ${ended.output.trim().split('\n').at(-1)}`;
    // Do not retry a pip that hung: the user has waited long enough.
    throw ended.hung ? new AcquireError('SOURCE_UNAVAILABLE', why) : new TransientError(why);
  }
  throw new AcquireError('SOURCE_UNAVAILABLE', 'pip was not found');
}

/** Whether the output comes from a Python without pip, or from a version manager's placeholder for a missing Python. */
const isNoPip = (output: string): boolean =>
  /No module named pip|command not found|not found/i.test(output) && !/ERROR:/.test(output);

/** Runs a program and resolves with its result; null if it does not exist. */
function run(program: string, args: readonly string[], folder: string, timeoutMs: number, signal: AbortSignal | undefined) {
  return new Promise<{ ok: boolean; output: string; hung: boolean } | null>((resolve, reject) => {
    // pip unpacks in TMPDIR first; in this folder, the caller deletes it in any case.
    const env = { ...process.env, TMPDIR: folder };
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: 16 * 1024 * 1024 };
    execFile(program, [...args], { env, ...limits, ...(signal ? { signal } : {}) }, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (error === null) resolve({ ok: true, output, hung: false });
      else if (error.name === 'AbortError') reject(error);
      else if (error.code === 'ENOENT' || error.code === 'EACCES') resolve(null);
      else if (error.killed) resolve({ ok: false, output: `it did not finish within ${timeoutMs / 1000} s`, hung: true });
      else resolve({ ok: false, output: output || error.message, hung: false });
    });
  });
}
