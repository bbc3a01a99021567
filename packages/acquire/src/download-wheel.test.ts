import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Of } from './checksum.ts';
import { type ObtainOptions, obtainFile, type Source } from './obtain-file.ts';

const content = 'the wheel';
const wheel: Source = { kind: 'wheel', requirement: 'some==1', platform: 'any', sha256: sha256Of(Buffer.from(content)) };
const SAVES = `while [ "$1" != --dest ]; do shift; done; printf '%s' '${content}' > "$2/some.whl"`;
const FAILS = 'echo "WARNING: odd"; echo "ERROR: No matching distribution found for some==1" >&2; exit 1';

let root = '';
let folder = '';
let calls = '';
const path = process.env.PATH;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pip-'));
  folder = join(root, 'downloads');
  calls = join(root, 'calls');
  await mkdir(folder);
});
afterEach(async () => {
  process.env.PATH = path;
  await rm(root, { recursive: true, force: true });
});

/** Replaces the machine's commands with shell scripts; commands that are not named do not exist. */
async function setUp(programs: Readonly<Record<string, string>>): Promise<void> {
  const bin = await mkdtemp(join(root, 'bin-'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\necho "${name} $*" >> "${calls}"\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  process.env.PATH = bin;
}
const obtain = (options: Partial<ObtainOptions> = {}, source = wheel) =>
  obtainFile([source], { folder, retryDelaysMs: [1, 1], ...options });
/** The commands that were started, without pip's arguments. */
const called = async () =>
  (await readFile(calls, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.replace(/ download .*/, ''));
const code = (value: string, part = '') =>
  expect.objectContaining({ name: 'AcquireError', code: value, message: expect.stringContaining(part) });

describe.skipIf(process.platform === 'win32')('Downloading a Python wheel with pip', () => {
  it('fetches the wheel for the requested platform without installing it', async () => {
    await setUp({ pip: SAVES });
    expect(await obtain()).toBe(join(folder, 'some.whl'));
    expect(await readFile(calls, 'utf8')).toMatch(/^pip download some==1 --no-deps --only-binary=:all: .*--platform any /);
  });

  it('tries `pip3`, `python3 -m pip` and `python -m pip` until one of them is pip', async () => {
    const answers = {
      pip3: 'echo "pyenv: pip3: command not found"; exit 127',
      python3: 'echo "/usr/bin/python3: No module named pip"; exit 1',
      python: SAVES,
    };
    await setUp(answers);
    expect(await obtain()).toBe(join(folder, 'some.whl'));
    expect(await called()).toEqual(['pip3', 'python3 -m pip', 'python -m pip']);
  });

  it('fails on a machine without pip', async () => {
    await setUp({});
    await expect(obtain()).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'pip was not found'));
  });

  it('runs the same pip three times and reports what pip printed last', async () => {
    await setUp({ pip: FAILS, pip3: SAVES });
    const sentences: string[] = [];
    const asking = obtain({ onProgress: (sentence) => sentences.push(sentence) });
    await expect(asking).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'ERROR: No matching distribution found for some==1'));
    expect(await called()).toEqual(['pip', 'pip', 'pip']);
    const sentence = 'Downloading some==1 with pip';
    expect(sentences).toEqual([sentence, `${sentence}, attempt 2`, `${sentence}, attempt 3`]);
  });

  it('succeeds when only the third attempt succeeds', async () => {
    await setUp({ pip: `[ "$(wc -l < "${calls}")" -eq 3 ] || { echo "ERROR: Read timed out." >&2; exit 1; }\n${SAVES}` });
    expect(await obtain()).toBe(join(folder, 'some.whl'));
    expect(await called()).toHaveLength(3);
  });

  it('reports a full disk as DISK_FULL and does not try again', async () => {
    await setUp({ pip: 'echo "ERROR: OSError: [Errno 28] No space left on device" >&2; exit 1' });
    await expect(obtain()).rejects.toThrow(code('DISK_FULL', folder));
    expect(await called()).toEqual(['pip']);
  });

  it('refuses a wheel that differs from the published one', async () => {
    await setUp({ pip: SAVES });
    await expect(obtain({}, { ...wheel, sha256: '0'.repeat(64) })).rejects.toThrow(code('CHECKSUM_MISMATCH', '.whl'));
    await expect(obtain({}, { ...wheel, bytes: 5 })).rejects.toThrow(code('CHECKSUM_MISMATCH', '9 bytes'));
  });

  it('stops after one attempt when pip hangs, and at once when cancelled', async () => {
    await setUp({ pip: 'exec sleep 60' });
    await expect(obtain({ pipTimeoutMs: 200 })).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'it did not finish within 0.2 s'));
    expect(await called()).toHaveLength(1);
    const stopped = obtain({ signal: AbortSignal.timeout(200) });
    await expect(stopped).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
    expect(await readdir(folder)).toEqual([]);
  });
});
