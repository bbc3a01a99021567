import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { product, runCommand } from './cli.ts';
import { createCapturedTerminal } from './testing/captured-terminal.ts';
import { startCli } from './testing/start-cli.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], { workingFolder = folder, env = {} } = {}) {
  const terminal = createCapturedTerminal();
  const { signal } = new AbortController();
  const code = await runCommand(product, args, { env: { DATA_DIR: folder, ...env }, workingFolder, terminal, signal });
  return { code, out: terminal.written(), err: terminal.said() };
}

it.each(['identify', 'evaluate', 'model'])('%s has a help page on standard output', async (command) => {
  const { code, out, err } = await run([command, '--help']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`./chiffchaff ${command}`);
});

it('names the commands when none is given', async () => {
  const { code, out, err } = await run([]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  for (const command of ['identify', 'evaluate', 'model']) expect(err).toMatch(new RegExp(`^ +${command} .*`, 'm'));
});

it('lists each command in a line of its own', async () => {
  const { out } = await run(['--help']);
  const commands = out.slice(out.indexOf('Commands:')).trimEnd().split('\n').slice(1);
  expect(commands.map((line) => /^ {2}(\w+) .*\.$/.exec(line)?.[1])).toEqual([
    ...['identify', 'segments', 'summarise', 'evaluate', 'review', 'thresholds', 'export', 'model', 'admin'],
  ]);
});

it('tells its version', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
});

it.each([
  [['sing'], "Unknown command 'sing'. ./chiffchaff --help shows the options."],
  [['toString'], "Unknown command 'toString'"],
  [['identify', '-'], 'Save it to a file and name that file instead of "-".'],
  [['identify'], "Missing required argument 'FILE|FOLDER'. ./chiffchaff identify --help shows the options."],
  [['identify', 'a.wav', '--fromat', 'csv'], "Unknown option '--fromat' (Did you mean --format?)"],
  [
    ['identify', 'a.wav', '--lat', '50,8', '--lon', '12'],
    "Option '--lat <DEGREES>' argument '50,8' is invalid. It must be a number from -90 to 90.",
  ],
  [
    ['evaluate', '--table', 'x.tsv'],
    "Required option '--recordings <DIR>' not specified. ./chiffchaff evaluate --help shows the options.",
  ],
  [['model', 'update'], "Unknown command 'update'. ./chiffchaff model --help shows the options."],
])('%j is not understood: exit status 2 and one line that says why', async (args, sentence) => {
  const { code, out, err } = await run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

it('says all that is wrong with the environment', async () => {
  const { code, err } = await run(['model', 'inspect'], { env: { INFERENCE_WORKERS: 'many' } });
  expect({ code, err }).toEqual({ code: 2, err: 'INFERENCE_WORKERS must be a whole number from 1 to 256, such as 4.\n' });
});

it('ends with 1 when a table cannot be used', async () => {
  expect(await run(['evaluate', '--recordings', '.', '--table', 'gone.tsv'])).toMatchObject({
    code: 1,
    err: "The table gone.tsv can't be read. Use --table with a tab-separated file.\n",
  });
  await writeFile(join(folder, 'a.wav'), '');
  await writeFile(join(folder, 'x.tsv'), 'file\tsplit\tscientific_name\tgroup\na.wav\ttest\tParus major\tbird\n');
  expect(await run(['evaluate', '--recordings', '.', '--table', 'x.tsv', '--split', 'best'])).toMatchObject({
    code: 1,
    err: 'x.tsv has no rows of split best; it has test.\n',
  });
});

const columns = 'file\tsplit\tscientific_name\tgroup\n';
const tableThatWorks = 'Use a tab-separated table with the columns file, split, scientific_name and group.\n';

describe('evaluate', () => {
  const measure = async (table: string | Uint8Array, ...more: string[]) => {
    await writeFile(join(folder, 'a.wav'), '');
    await writeFile(join(folder, 't.tsv'), table);
    return run(['evaluate', '--recordings', '.', '--table', 't.tsv', ...more]);
  };

  it.each([
    ['', `t.tsv does not start with a line of column names. ${tableThatWorks}`],
    [columns, 't.tsv has no rows.\n'],
    ['file\tgroup\na.wav\tbird\n', `t.tsv has no column split and scientific_name. ${tableThatWorks}`],
    ['file,split,scientific_name,group\n', `t.tsv is not separated by tabs. ${tableThatWorks}`],
    [`${columns}\tours\tParus major\tbird\n`, 't.tsv has no file in line 2; each row needs one.\n'],
    [
      `${columns}a.wav\tours\tParus major\tbird\na.wav\tours\t\tbird\n`,
      't.tsv has no scientific_name in line 3; each row needs one where group is bird.\n',
    ],
    [
      `${columns}gone.wav\tours\tParus major\tbird\n`,
      'None of the 1 recordings of t.tsv is in .; the first is gone.wav. The column file must contain paths within that folder.\n',
    ],
  ])('says what is wrong with the table %j', async (table, err) => {
    expect(await measure(table)).toEqual({ code: 1, out: '', err });
  });

  it('reads what spreadsheets write: UTF-16, and blanks around names of columns', async () => {
    const text = `\uFEFF${columns.replace('file', ' file ').replaceAll('\n', '\r\n')}a.wav\tours\tParus major\tbird\r\n`;
    const { err } = await measure(Buffer.from(text, 'utf16le'), '--split', 'best');
    expect(err).toBe('t.tsv has no rows of split best; it has ours.\n');
  });

  it('says when the folder of the recordings is none', async () => {
    await measure(columns);
    await writeFile(join(folder, 't.tsv'), `${columns}a.wav\tours\tParus major\tbird\n`);
    const at = (recordings: string) => run(['evaluate', '--recordings', recordings, '--table', 't.tsv']);
    const give = 'Use --recordings with the folder of the recordings.\n';
    expect(await at('nowhere')).toMatchObject({ code: 1, err: `There is no folder at nowhere. ${give}` });
    expect(await at('a.wav')).toMatchObject({ code: 1, err: `a.wav is a file. ${give}` });
  });

  it('says before it listens that its figures cannot be written', async () => {
    const { code, err } = await measure(`${columns}a.wav\tours\tParus major\tbird\n`, '--json', 'a.wav/x.json');
    expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/^a\.wav\/x\.json can't be written: .*\.\n$/) });
    expect(await measure(`${columns}a.wav\tours\tParus major\tbird\n`, '--json', '.')).toMatchObject({
      code: 3,
      err: expect.stringContaining("can't be written: it is a folder."),
    });
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

it('says in one line that the disk behind standard output is full', async ({ skip }) => {
  const full = await open('/dev/full', 'w').catch(() => null);
  if (full === null) return skip('the system has no /dev/full');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'identify', '--help'], {
    stdio: ['ignore', full.fd, 'pipe'],
  });
  const err = Buffer.concat(await (child.stderr?.toArray() ?? [])).toString();
  await full.close();
  expect(err).toBe("The output can't be written: ENOSPC: no space left on device, write.\n");
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(3);
});
