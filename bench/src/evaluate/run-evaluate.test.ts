import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@chiffchaff/cli';
import { createCapturedTerminal } from '@chiffchaff/cli/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchProgram } from '../program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-evaluate-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], { workingFolder = folder, env = {} } = {}) {
  const terminal = createCapturedTerminal();
  const { signal } = new AbortController();
  const code = await runCommand(benchProgram, args, { env: { DATA_DIR: folder, ...env }, workingFolder, terminal, signal });
  return { code, out: terminal.written(), err: terminal.said() };
}

it('`npm run evaluate` without --recordings ends with status 2 and names that option', async () => {
  expect(await run(['evaluate', '--table', 'x.tsv'])).toEqual({
    code: 2,
    out: '',
    err: "Required option '--recordings <DIR>' not specified. npm run evaluate -- --help shows the options.\n",
  });
});

it('`npm run evaluate` ends with status 1 if its table cannot be read or lacks the requested split', async () => {
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

describe('`npm run evaluate`', () => {
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
  ])('says which header, column, cell or recording is missing from the table %j', async (table, err) => {
    expect(await measure(table)).toEqual({ code: 1, out: '', err });
  });

  it('reads a table as spreadsheets write it: in UTF-16, with blanks around the names of columns', async () => {
    const text = `\uFEFF${columns.replace('file', ' file ').replaceAll('\n', '\r\n')}a.wav\tours\tParus major\tbird\r\n`;
    const { err } = await measure(Buffer.from(text, 'utf16le'), '--split', 'best');
    expect(err).toBe('t.tsv has no rows of split best; it has ours.\n');
  });

  it('says that the folder given by --recordings does not exist or is a file', async () => {
    await measure(columns);
    await writeFile(join(folder, 't.tsv'), `${columns}a.wav\tours\tParus major\tbird\n`);
    const at = (recordings: string) => run(['evaluate', '--recordings', recordings, '--table', 't.tsv']);
    const give = 'Use --recordings with the folder of the recordings.\n';
    expect(await at('nowhere')).toMatchObject({ code: 1, err: `There is no folder at nowhere. ${give}` });
    expect(await at('a.wav')).toMatchObject({ code: 1, err: `a.wav is a file. ${give}` });
  });

  it('says before it analyses anything that the file for its figures cannot be written', async () => {
    const { code, err } = await measure(`${columns}a.wav\tours\tParus major\tbird\n`, '--json', 'a.wav/x.json');
    expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/^a\.wav\/x\.json can't be written: .*\.\n$/) });
    expect(await measure(`${columns}a.wav\tours\tParus major\tbird\n`, '--json', '.')).toMatchObject({
      code: 3,
      err: expect.stringContaining("can't be written: it is a folder."),
    });
  });
});

it('`npm run evaluate` resolves paths from the folder in which the user called npm, not from the checkout', async () => {
  const args = ['evaluate', '--recordings', '.', '--table', 'x.tsv', '--split', 'best'];
  const { err } = await run(args, { workingFolder: '/', env: { INIT_CWD: folder } });
  expect(err).toContain('x.tsv has no rows of split best');
});
