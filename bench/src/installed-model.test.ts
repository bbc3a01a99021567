import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startCli } from '@chiffchaff/cli/testing';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const recordings = sharedPath('data/recordings');
const main = join(import.meta.dirname, 'main.ts');

/** The table of the public recordings. */
async function readTable() {
  const text = await readFile(sharedPath('data/recordings.tsv'), 'utf8');
  const [head = '', ...rows] = text.trimEnd().split('\n');
  return {
    head,
    /** The shortest recordings of a name. */
    rowsOf: (name: string, count: number) => {
      const seconds = (row: string) => Number(row.split('\t')[head.split('\t').indexOf('duration_s')]);
      const found = rows
        .filter((row) => row.startsWith(name))
        .sort((one, other) => seconds(one) - seconds(other))
        .slice(0, count);
      return found.length === count ? found : expect.fail(`${name} is not in the table ${count} times`);
    },
  };
}

describe('Measuring with the installed model:', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-bench-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('`npm run evaluate` finds the accuracy with test recordings, prints the figures and writes them to a file', async (context) => {
    needsSharedFolder(context);
    const { head, rowsOf } = await readTable();
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
    const { code, out } = await startCli(args, { main, cwd: folder }).ended;
    expect(code).toBe(1);
    expect(out).toContain('"top5": 1,');
    expect(JSON.parse(await readFile(join(folder, 'figures.json'), 'utf8'))).toMatchObject({
      splits: [
        { withoutPlace: { recordings: 2, species: 2, byConfidence: { top5: 1 } }, withPlace: { local: { recordings: 2 } } },
      ],
      falseAlarms: { recordings: 1 },
      unreadable: [{ file: 'gone.opus' }],
    });
  });

  it('`npm run evaluate` reports splits by whatever names the table gives them', async (context) => {
    needsSharedFolder(context);
    const { head, rowsOf } = await readTable();
    const chosen = ['fringilla-coelebs--', 'parus-major--', 'turdus-merula--', 'corvus-corax--', 'esc50-rain--'].flatMap((name) =>
      rowsOf(name, 2),
    );
    const renamed = chosen.map((row, i) => row.replace(/^([^\t]*)\t[^\t]*/, `$1\t${i % 2 === 0 ? 'garden' : 'Wald 2026'}`));
    await writeFile(join(folder, 'own.tsv'), [head, ...renamed].join('\n'));
    const args = ['evaluate', '--recordings', recordings, '--table', 'own.tsv', '--json', 'own-figures.json'];
    const evaluated = await startCli(args, { main, cwd: folder }).ended;
    expect(evaluated).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /"garden",\s+"withoutPlace": \{\s+"recordings": 4,[\s\S]*"Wald 2026",\s+"withoutPlace": \{\s+"recordings": 4,/,
      ),
    });
  });

  it('`npm run calibrate` fits to splits by whatever names the table gives them', async (context) => {
    needsSharedFolder(context);
    const { head, rowsOf } = await readTable();
    const kinds = ['fringilla-coelebs--', 'parus-major--', 'turdus-merula--', 'corvus-corax--', 'esc50-rain--'];
    const chosen = kinds.flatMap((name) => rowsOf(name, 2));
    const renamed = chosen.map((row, i) => row.replace(/^([^\t]*)\t[^\t]*/, `$1\t${i % 2 === 0 ? 'garden' : 'Wald 2026'}`));
    await writeFile(join(folder, 'own.tsv'), [head, ...renamed].join('\n'));
    const calibrate = (...more: string[]) => {
      const where = ['--recordings', recordings, '--table', 'own.tsv', '--output', 'own.json'];
      return startCli(['calibrate', ...where, ...more], { main, cwd: folder }).ended;
    };
    const whole = await calibrate();
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('Words, on all recordings') });
    const evidence = async () => confidenceEvidenceSchema.parse(JSON.parse(await readFile(join(folder, 'own.json'), 'utf8')));
    expect(await evidence()).toMatchObject({ tested: { split: null, birds: 8 }, crossValidated: { birds: 8 } });
    const half = await calibrate('--unseen-split', 'Wald 2026');
    expect(half).toMatchObject({ code: 0, out: expect.stringContaining('Words, on split Wald 2026') });
    expect(await evidence()).toMatchObject({ tested: { split: 'Wald 2026', birds: 4 }, scenes: null });

    await writeFile(join(folder, 'own.tsv'), [head, ...renamed.slice(0, 1)].join('\n'));
    const one = await calibrate();
    expect(one).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The recordings are too few or too much alike: .*\n$/),
    });
  }, 240_000);

  it('`npm run bench` names the machine and the model, and measures one worker and then all', async () => {
    const env = { INFERENCE_WORKERS: '2' };
    const { code, out } = await startCli(['bench', '--quick', '--only', 'clips'], { main, env }).ended;
    expect(code).toBe(0);
    const [machine, ...rows] = out.trimEnd().split('\n');
    expect(machine).toMatch(
      new RegExp(`cores, .*Node ${process.version}, ONNX Runtime \\d+\\.\\d+\\.\\d+; load .*birdnet-v2\\.4`),
    );
    expect(rows).toEqual([
      expect.stringMatching(/^ {2}one clip, 1 worker +\d+\.\d\d ms, \d+ × real time$/),
      expect.stringMatching(/^ {2}one clip, 2 workers +\d+\.\d\d ms, \d+ × real time$/),
    ]);
  });
});
