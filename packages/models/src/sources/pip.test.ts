import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Of } from './checksum.ts';
import { downloadWheel, type RunCommand } from './pip.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pip-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const content = 'the wheel';
const retryDelaysMs = [1, 1];
const wheel = { requirement: 'some==1', bytes: content.length, sha256: sha256Of(Buffer.from(content)) };
const code = (value: string, part = '') =>
  expect.objectContaining({ name: 'ModelError', code: value, message: expect.stringContaining(part) });

/** Stands for the commands of a machine; those that are not named do not exist. */
function machine(answers: Readonly<Record<string, string | 'saves'>>, asked: string[] = []): RunCommand {
  return async (command, args, { folder: target }) => {
    asked.push([command, ...args.slice(0, args.indexOf('download'))].join(' '));
    const answer = answers[command];
    if (answer === undefined) return null;
    if (answer !== 'saves') return { ok: false, output: answer };
    await writeFile(join(target, 'some-1-py3-none-any.whl'), content);
    return { ok: true, output: '' };
  };
}

it('the wheel is downloaded, not installed, and checked', async () => {
  const calls: (readonly string[])[] = [];
  const run: RunCommand = async (command, args, options) => {
    calls.push([command, ...args]);
    return machine({ pip: 'saves' })(command, args, options);
  };
  expect(await downloadWheel(wheel, folder, { run })).toBe(join(folder, 'some-1-py3-none-any.whl'));
  expect(calls).toHaveLength(1);
  expect(calls[0]?.slice(0, 4)).toEqual(['pip', 'download', 'some==1', '--no-deps']);
});

it('every way to call pip is tried until one is pip', async () => {
  const asked: string[] = [];
  const answers = { pip3: 'pyenv: pip3: command not found', python3: '/usr/bin/python3: No module named pip', python: 'saves' };
  await downloadWheel(wheel, folder, { run: machine(answers, asked) });
  expect(asked).toEqual(['pip', 'pip3', 'python3 -m pip', 'python -m pip']);
});

it('a machine without pip is told so', async () => {
  await expect(downloadWheel(wheel, folder, { run: machine({}) })).rejects.toThrow(
    code('SOURCE_UNAVAILABLE', 'pip was not found'),
  );
});

it('when pip has no answer from its index, no other pip is asked', async () => {
  const asked: string[] = [];
  const answers = { pip: 'WARNING: connection broken\nERROR: No matching distribution found for some==1\n', pip3: 'saves' };
  await expect(downloadWheel(wheel, folder, { run: machine(answers, asked), retryDelaysMs })).rejects.toThrow(
    code('SOURCE_UNAVAILABLE', 'No matching distribution found'),
  );
  expect(asked).toEqual(['pip', 'pip', 'pip']);
});

it('an index that fails twice is asked a third time', async () => {
  const asked: string[] = [];
  const retries: number[] = [];
  const run: RunCommand = (command, args, options) =>
    machine({ pip: asked.length < 2 ? 'ERROR: Read timed out.' : 'saves' }, asked)(command, args, options);
  const onRetry = (attempt: number) => retries.push(attempt);
  expect(await downloadWheel(wheel, folder, { run, retryDelaysMs, onRetry })).toMatch(/\.whl$/);
  expect(asked).toEqual(['pip', 'pip', 'pip']);
  expect(retries).toEqual([2, 3]);
});

it('a full disk is told apart from a missing package, and not tried again', async () => {
  const asked: string[] = [];
  const full = { pip: 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' };
  await expect(downloadWheel(wheel, folder, { run: machine(full, asked), retryDelaysMs })).rejects.toThrow(code('DISK_FULL'));
  expect(asked).toEqual(['pip']);
});

it('another wheel than the published one is refused', async () => {
  const run = machine({ pip: 'saves' });
  await expect(downloadWheel({ ...wheel, sha256: '0'.repeat(64) }, folder, { run })).rejects.toThrow(
    code('CHECKSUM_MISMATCH', '.whl'),
  );
});

it('a real command is run with its arguments as they are, and stopped by the signal', async ({ skip }) => {
  if (process.platform === 'win32') skip('the stand-in for pip is a shell script');
  const bin = await mkdtemp(join(tmpdir(), 'bin-'));
  const before = process.env.PATH;
  try {
    process.env.PATH = `${bin}:/usr/bin:/bin`;
    await writeFile(
      join(bin, 'pip'),
      `#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\nprintf '%s' '${content}' > "$2/some.whl"\n`,
    );
    await chmod(join(bin, 'pip'), 0o755);
    expect(await downloadWheel(wheel, folder)).toBe(join(folder, 'some.whl'));
    await writeFile(join(bin, 'pip'), '#!/bin/sh\nexec sleep 60\n');
    const stopped = downloadWheel(wheel, folder, { signal: AbortSignal.timeout(100) });
    await expect(stopped).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await expect(downloadWheel(wheel, folder, { timeoutMs: 100 })).rejects.toThrow(
      code('SOURCE_UNAVAILABLE', 'it had not ended after 0.1 s'),
    );
  } finally {
    process.env.PATH = before;
    await rm(bin, { recursive: true, force: true });
  }
});
