import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './cli.ts';
import { startCli } from './started-cli.ts';
import { createCapturedTerminal } from './terminal/captured-terminal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chiffchaff-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], { workingFolder = folder, env = {} } = {}) {
  const terminal = createCapturedTerminal();
  const { signal } = new AbortController();
  const code = await runCommand(args, { env: { DATA_DIR: folder, ...env }, workingFolder, terminal, signal });
  return { code, out: terminal.written(), err: terminal.said() };
}

it.each(['identify', 'evaluate', 'calibrate', 'bench', 'model'])('%s has a help page on standard output', async (command) => {
  const { code, out, err } = await run([command, '--help']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`./chiffchaff ${command}`);
});

it('names the commands when none is given', async () => {
  const { code, out, err } = await run([]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  for (const command of ['identify', 'evaluate', 'calibrate', 'bench', 'model']) expect(err).toContain(`./chiffchaff ${command}`);
});

it.each([
  [['sing'], 'There is no command "sing"; identify, evaluate, calibrate, bench or model work.'],
  [['toString'], 'There is no command "toString"'],
  [['identify'], 'identify needs at least one recording'],
  [['identify', 'a.wav', '--lat', '50,8', '--lon', '12'], '--lat takes a number from -90 to 90; we found "50,8".'],
  [['evaluate', '--table', 'x.tsv'], 'evaluate needs --recordings DIR and --table TSV.'],
  [['calibrate', '--table', 'x.tsv'], 'calibrate needs --recordings DIR and --table TSV.'],
  [['bench', '--only', 'all'], '--only takes clips, check-up, recordings, http, memory or reference'],
  [['model', 'update'], 'model knows install, inspect, convert or parity; we found "update".'],
])('%j is not understood: exit status 2 and one line that says why', async (args, sentence) => {
  const { code, out, err } = await run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

it('says all that is wrong with the environment', async () => {
  const { code, err } = await run(['model', 'inspect'], { env: { INFERENCE_WORKERS: 'many' } });
  expect({ code, err }).toEqual({ code: 2, err: 'INFERENCE_WORKERS takes a whole number from 1 to 256, such as 4.\n' });
});

it('ends with 1 when a table cannot be used', async () => {
  expect(await run(['evaluate', '--recordings', '.', '--table', 'gone.tsv'])).toMatchObject({
    code: 1,
    err: "The table gone.tsv can't be read. Give a tab-separated file with --table.\n",
  });
  await writeFile(path.join(folder, 'x.tsv'), 'file\tsplit\tscientific_name\tgroup\na.wav\ttest\tParus major\tbird\n');
  expect(await run(['evaluate', '--recordings', '.', '--table', 'x.tsv', '--split', 'best'])).toMatchObject({
    code: 1,
    err: 'x.tsv has no rows of split best; it has test.\n',
  });
});

it('ends with 3 and says what to do when no model is installed', async () => {
  const { code, out, err } = await run(['model', 'inspect']);
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err).toContain('npm run model -- install');
});

it('takes paths from where the person stands, not from where npm runs', async () => {
  const args = ['evaluate', '--recordings', '.', '--table', 'x.tsv', '--split', 'best'];
  const { err } = await run(args, { workingFolder: '/', env: { INIT_CWD: folder } });
  expect(err).toContain('x.tsv has no rows of split best');
});

it('leaves the shell with the exit status and a process without loose ends', async () => {
  const { ended } = startCli(['identify', '--lat', '50'], { cwd: folder });
  expect(await ended).toMatchObject({ code: 2, out: '' });
});
