import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missingHere } from './testing/missing-here.ts';
import { startCli } from './testing/start-cli.ts';

const shared = join(import.meta.dirname, '../../../../shared');

const recordings = join(shared, 'data/recordings');

/** The table of public recordings; null when absent. */
async function readTable() {
  const text = await readFile(join(shared, 'data/recordings.tsv'), 'utf8').catch(() => null);
  if (text === null) return null;
  const [head = '', ...rows] = text.trimEnd().split('\n');
  return {
    head,
    rowsOf: (name: string, count: number) => {
      const found = rows.filter((row) => row.startsWith(name)).slice(0, count);
      return found.length === count ? found : expect.fail(`${name} is not in the table ${count} times`);
    },
  };
}

describe('commands with the installed model', () => {
  let folder: string;
  let missing: string | null;
  beforeAll(async () => {
    missing = await missingHere();
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-commands-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(({ skip }) => {
    if (missing !== null) skip(missing);
  });

  it('model inspect checks every file and tells whose model it is', async () => {
    const { code, out, err } = await startCli(['model', 'inspect']).ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/every file checked[\s\S]*Cornell Lab of Ornithology[\s\S]*sha256 [0-9a-f]{64}/);
  });

  it('evaluate works out figures from recordings, prints and writes them', async ({ skip }) => {
    const table = await readTable();
    if (table === null) return skip('../shared/data is absent');
    const { head, rowsOf } = table;
    const chosen = ['fringilla-coelebs--', 'parus-major--', 'esc50-rain--'].flatMap((name) => rowsOf(name, 1));
    await writeFile(join(folder, 'few.tsv'), [head, ...chosen, 'gone.opus\ttest\tParus major\t\tbird'].join('\n'));
    const args = [
      'evaluate',
      '--recordings',
      relative(folder, recordings),
      '--table',
      'few.tsv',
      '--json',
      'figures.json',
      '--lat',
      '50.8',
      '--lon',
      '12.9',
    ];
    const { code, out } = await startCli(args, { cwd: folder }).ended;
    expect(code).toBe(1);
    expect(out).toContain('top 1 / 3 / 5 by confidence');
    expect(JSON.parse(await readFile(join(folder, 'figures.json'), 'utf8'))).toMatchObject({
      splits: [
        { withoutPlace: { recordings: 2, species: 2, byConfidence: { top5: 1 } }, withPlace: { local: { recordings: 2 } } },
      ],
      falseAlarms: { recordings: 1 },
      unreadable: [{ file: 'gone.opus' }],
    });
  });

  it('evaluate takes any names of splits', async ({ skip }) => {
    const table = await readTable();
    if (table === null) return skip('../shared/data is absent');
    const { head, rowsOf } = table;
    const chosen = ['fringilla-coelebs--', 'parus-major--', 'turdus-merula--', 'corvus-corax--', 'esc50-rain--'].flatMap((name) =>
      rowsOf(name, 2),
    );
    const renamed = chosen.map((row, i) => row.replace(/^([^\t]*)\t[^\t]*/, `$1\t${i % 2 === 0 ? 'garden' : 'Wald 2026'}`));
    await writeFile(join(folder, 'own.tsv'), [head, ...renamed].join('\n'));
    const args = ['evaluate', '--recordings', recordings, '--table', 'own.tsv', '--json', 'own-figures.json'];
    const evaluated = await startCli(args, { cwd: folder }).ended;
    expect(evaluated).toMatchObject({ code: 0, out: expect.stringMatching(/Split garden: 4 [\s\S]*Split Wald 2026: 4 /) });
  });

  it('model parity finds the reference outputs or says where it looked', async ({ skip }) => {
    const { code, err } = await startCli(['model', 'parity', '--fixtures', 'nowhere'], { cwd: folder }).ended;
    expect(code).toBe(1);
    expect(err).toContain('There are no reference outputs in');
    const fixtures = join(shared, 'fixtures/parity');
    await access(fixtures).catch(() => skip('../shared/fixtures is absent'));
    const { code: found, out } = await startCli(['model', 'parity', '--fixtures', fixtures, '--json']).ended;
    expect(found).toBe(0);
    const full = Array.from({ length: 5 }, () => ({ build: 'full', passed: true }));
    const web = Array.from({ length: 4 }, () => ({ build: 'web', passed: true }));
    expect(JSON.parse(out)).toMatchObject([...full, ...web]);
  }, 180_000);
});
