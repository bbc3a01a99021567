import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { detectionsCsv, effortCsv, labelsCsv } from '@chiffchaff/survey/testing/tables';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import { product, runCommand } from '../cli.ts';
import { lockOutput } from '../files.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';

describe('`chiffchaff export`', () => {
  let folder: string;
  let out: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-export-'));
    await writeFile(join(folder, 'birds.csv'), detectionsCsv);
    await writeFile(join(folder, 'birds.files.csv'), effortCsv);
    await writeFile(join(folder, 'labels.csv'), labelsCsv(['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'yes']));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    out = await mkdtemp(join(folder, 'out-'));
  });

  async function run(...args: string[]) {
    const terminal = createCapturedTerminal();
    const code = await runCommand(product, ['export', ...args], {
      ...{ env: {}, workingFolder: folder, terminal, signal: new AbortController().signal },
    });
    return { code, said: terminal.said(), printed: terminal.written() };
  }
  const about = ['--title', 'Pond', '--creator', 'Ada Finch'];
  const camtrap = ['birds.csv', '--format', 'camtrap-dp', ...about, '--sampling-design', 'targeted', '--out'];

  it('writes detections as Camtrap DP, and replaces an existing package only with --overwrite', async () => {
    const path = join(out, 'package');
    expect(await run(...camtrap, path, '--labels', 'labels.csv')).toEqual({
      ...{ code: 0, printed: '' },
      said: expect.stringMatching(
        /^5 detections \(1 confirmed\) in 4 recordings are in .*package\.\nLeft out: 1 detection hidden by location\.\nLeft out: 1 recording that could not be analysed\.\n$/,
      ),
    });
    const names = ['datapackage.json', 'deployments.csv', 'media.csv', 'observations.csv'];
    expect(await readdir(path)).toEqual(names);
    expect(await readdir(out)).toEqual(['package']);
    expect((await readFile(join(path, 'observations.csv'), 'utf8')).trim().split('\n')).toHaveLength(6);

    expect(await run(...camtrap, path)).toMatchObject({ code: 1, said: expect.stringContaining('--overwrite replaces it') });
    expect(await run(...camtrap, path, '--overwrite', '--labels', 'labels.csv', '--only-confirmed')).toMatchObject({ code: 0 });
    expect((await readFile(join(path, 'observations.csv'), 'utf8')).trim().split('\n')).toHaveLength(2);
    await writeFile(join(path, 'mine.txt'), 'kept');
    expect(await run(...camtrap, path, '--overwrite')).toMatchObject({
      code: 1,
      said: expect.stringContaining('such as mine.txt'),
    });
    expect(await readdir(path)).toContain('mine.txt');
  });

  it('ends at once while another run is writing to the same output', async () => {
    const path = join(out, 'archive.zip');
    const archive = ['birds.csv', '--format', 'darwin-core', ...about, '--license', 'CC0-1.0', '--out', path];
    {
      using _other = await lockOutput(path, path);
      expect(await run(...archive)).toMatchObject({ code: 3, said: expect.stringMatching(/^Another run is writing to .*\n$/) });
    }
    expect(await readdir(out)).toEqual([]);
    expect(await run(...archive)).toMatchObject({ code: 0 });
    expect(await readdir(out)).toEqual(['archive.zip']);
  });

  it('leaves out detections below the thresholds that are given, unless a person confirmed them', async () => {
    await writeFile(join(out, 't.csv'), 'Scientific name,Threshold\nTurdus merula,0.7\nStrix aluco,0.9\n');
    const filtered = [...camtrap, join(out, 'package'), '--thresholds', join(out, 't.csv')];
    expect((await run(...filtered)).said).toMatch(
      /^2 detections \(0 confirmed\) in 4 recordings are in .*\nLeft out: 1 detection hidden by location\.\nLeft out: 3 detections below the threshold of their species\.\n/,
    );
    const confirmed = await run(...filtered, '--overwrite', '--labels', 'labels.csv');
    expect(confirmed.said).toMatch(/^3 detections \(1 confirmed\)/);
  });

  it('refuses recordings without place or time, unless they may be left out', async () => {
    const path = join(out, 'package');
    await writeFile(join(out, 'some.csv'), detectionsCsv);
    await writeFile(join(out, 'some.files.csv'), effortCsv.replace('-33.8,151.2', ','));
    const some = [join(out, 'some.csv'), ...camtrap.slice(1), path];
    expect(await run(...some)).toMatchObject({
      ...{
        code: 1,
        said: expect.stringMatching(/^1 of 4 recordings has no place, .*\. identify --sites gives recordings a place; --leave/),
      },
    });
    expect((await readdir(out)).sort()).toEqual(['some.csv', 'some.files.csv']);
    const { code, said } = await run(...some, '--leave-out-incomplete');
    expect([code, said]).toEqual([0, expect.stringContaining('4 detections (0 confirmed) in 3 recordings')]);
    expect(said).toContain('Left out: 1 recording without place.\n');
    await writeFile(join(out, 'some.files.csv'), effortCsv.replace('2026-05-01,06:12:00,2026-05-01T04:12:00Z', ',,'));
    expect((await run(...some, '--overwrite')).said).toMatch(
      /^1 of 4 recordings has no day, .* identify takes it from recordings and their names; --leave/,
    );
    await writeFile(join(out, 'some.files.csv'), effortCsv.replace('2026-05-01T04:12:00Z', ''));
    expect((await run(...some, '--overwrite')).said).toMatch(/^1 of 4 recordings has no time in UTC, .* its zone from --sites;/);
  });

  it('says how many recordings are in several tables with other overlaps, so that detections may count twice', async () => {
    const [one, two] = [join(out, 'one.csv'), join(out, 'two.csv')];
    const [header = '', ...rows] = detectionsCsv.trimEnd().split('\n');
    const withOverlap = (seconds: number) => [`${header},Overlap (s)`, ...rows.map((row) => `${row},${seconds}`)].join('\n');
    for (const path of [one, two]) await writeFile(path, withOverlap(1.5));
    const both = [one, two, ...camtrap.slice(1), join(out, 'package'), '--overwrite'];
    expect((await run(...both)).said).not.toContain('more than one table');
    await writeFile(two, withOverlap(0.5).replace('\n30,33,', '\n30.5,33.5,').replace('\n3,6,', '\n3.5,6.5,'));
    expect((await run(...both)).said).toContain(
      '3 recordings are in more than one table, with other overlaps, so birds may count twice: give one table of each.\n',
    );
  });

  it('writes a Darwin Core archive that can be unzipped', async () => {
    const path = join(out, 'archive.zip');
    expect(await run('birds.csv', '--format', 'darwin-core', ...about, '--license', 'CC0-1.0', '--out', path)).toMatchObject({
      code: 0,
    });
    const zip = await openPromise(path);
    const names: string[] = [];
    for await (const entry of zip.eachEntry()) {
      names.push(entry.fileName);
      if (entry.fileName === 'occurrence.txt')
        expect((await text(await zip.openReadStreamPromise(entry))).trim().split('\n')).toHaveLength(6);
    }
    expect(names).toEqual(['meta.xml', 'eml.xml', 'event.txt', 'occurrence.txt']);
  });

  it('writes confirmed birds for eBird, and says how to confirm birds if none is', async () => {
    const path = join(out, 'ebird.csv');
    const ebird = ['birds.csv', '--format', 'ebird', '--out', path];
    expect(await run(...ebird)).toMatchObject({
      code: 2,
      said: expect.stringContaining('label detections as docs/exports.md describes'),
    });
    await writeFile(join(out, 'none.csv'), labelsCsv());
    expect(await run(...ebird, '--labels', join(out, 'none.csv'))).toMatchObject({
      ...{ code: 1, said: expect.stringContaining('No bird is confirmed') },
    });
    expect(await run(...ebird, '--labels', 'labels.csv')).toMatchObject({
      ...{ code: 0, said: expect.stringMatching(/^1 confirmed detection is in /) },
    });
    expect(await readFile(path, 'utf8')).toMatch(/^,Turdus,merula,X,/);
    expect((await readdir(out)).sort()).toEqual(['ebird.csv', 'none.csv']);
  });

  it('writes English names for eBird from a table with names in any language, also of birds that only a person named', async () => {
    await writeFile(join(out, 'birds.csv'), detectionsCsv.replaceAll('Eurasian Blackbird', 'Amsel'));
    const labels = labelsCsv(
      ['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'yes'],
      ['Ada', './cards/A/a.wav', 9, 'Turdus merula', 'other', 'Tannenmeise'],
      ['Ada', './cards/A/a.wav', 1.5, 'Erithacus rubecula', 'other', 'Larus smithsonianus'],
    );
    await writeFile(join(out, 'labels.csv'), labels);
    const given = [join(out, 'birds.csv'), '--labels', join(out, 'labels.csv'), '--out', join(out, 'e.csv')];
    expect(await run(...given, '--format', 'ebird', '--names', 'common')).toMatchObject({ code: 0 });
    const rows = (await readFile(join(out, 'e.csv'), 'utf8')).split('\n').map((line) => line.split(',', 3).join(','));
    expect(rows).toEqual([',Larus,smithsonianus', 'Eurasian Blackbird,,', 'Coal Tit,,', '']);
  });

  const archive = [...about, '--license', 'CC0-1.0', '--format', 'darwin-core', '--out'];
  async function occurrencesIn(path: string): Promise<string> {
    const zip = await openPromise(path);
    for await (const entry of zip.eachEntry())
      if (entry.fileName === 'occurrence.txt') return await text(await zip.openReadStreamPromise(entry));
    return '';
  }
  async function exported(table: string, ...args: string[]) {
    await writeFile(join(out, 'some.csv'), table);
    await writeFile(join(out, 'some.files.csv'), effortCsv);
    return run(join(out, 'some.csv'), ...archive, join(out, 'archive.zip'), '--overwrite', ...args);
  }

  it('refuses events without a day, which GBIF requires, unless they may be left out', async () => {
    const undated = effortCsv.replace('2026-05-01,06:12:00,2026-05-01T04:12:00Z', ',,').replace('-33.8,151.2', ',');
    await writeFile(join(out, 'some.csv'), detectionsCsv);
    await writeFile(join(out, 'some.files.csv'), undated);
    const some = [join(out, 'some.csv'), ...archive, join(out, 'archive.zip')];
    const { code, said } = await run(...some);
    expect([code, said]).toEqual([
      1,
      '1 of 4 recordings has no day, which the format asks for; the first is in ./cards/A/silence.wav. ' +
        'identify takes it from recordings and their names; --leave-out-incomplete exports the others.\n',
    ]);
    expect(await run(...some, '--leave-out-incomplete')).toMatchObject({
      ...{ code: 0, said: expect.stringMatching(/ in 3 recordings are in .*\n(?:.*\n)*Left out: 1 recording without day\.\n/) },
    });
  });

  it('leaves out birds hidden by location, also from a table that a spreadsheet, R or pandas has saved', async () => {
    for (const [yes, no] of [
      ['TRUE', 'FALSE'],
      ['True', 'False'],
      ['WAHR', 'FALSCH'],
    ] as const)
      expect(await exported(detectionsCsv.replaceAll('false', no).replaceAll('true', yes)), yes).toMatchObject({
        ...{ code: 0, said: expect.stringContaining('Left out: 1 detection hidden by location.') },
      });
    expect(await exported(detectionsCsv.replaceAll('true', 'hidden'))).toMatchObject({
      ...{ code: 1, said: expect.stringContaining('some.csv: Line 7: "hidden" is no Hidden, which is true or false.') },
    });
  });

  it('refuses dates that a spreadsheet has made ambiguous, as summarise does', async () => {
    const british = detectionsCsv.replaceAll(/2026-05-(\d\d),/g, '$1/05/2026,').replaceAll('2026-10-25,', '10/10/2026,');
    const sentence = 'some.csv: Line 2: "01/05/2026" is no Date, which looks like 2026-05-01.';
    expect(await exported(british)).toMatchObject({ code: 1, said: expect.stringContaining(sentence) });
    const terminal = createCapturedTerminal();
    const surroundings = { env: {}, workingFolder: out, terminal, signal: new AbortController().signal };
    expect(await runCommand(product, ['summarise', 'some.csv', '--out', 's'], surroundings)).toBe(1);
    expect(terminal.said()).toContain(sentence);
  });

  it('accepts labels whose paths come from Windows, and first says how many labels fit no detection', async () => {
    const yes = ['Ada', '.\\cards\\A\\a.wav', 6, 'Turdus merula', 'yes'] as const;
    await writeFile(join(out, 'windows.csv'), labelsCsv(yes, ['Ada', 'D:\\a.wav', 6, 'Turdus merula', 'yes']));
    const { said, code } = await exported(detectionsCsv, '--labels', join(out, 'windows.csv'));
    expect([code, said.split('\n')[0]]).toEqual([0, '1 label is of a detection that no table has.']);
    expect(said).toContain('5 detections (1 confirmed)');
    await writeFile(join(out, 'none.csv'), labelsCsv(['Ada', 'elsewhere.wav', 6, 'Turdus merula', 'yes']));
    const ebird = ['birds.csv', '--format', 'ebird', '--out', join(out, 'e.csv')];
    expect((await run(...ebird, '--labels', join(out, 'none.csv'))).said).toMatch(
      /^1 label is of a detection that no table has\.\nNo bird is confirmed/,
    );
  });

  it('writes the scientific name of the other species in a label, and refuses a label whose name is no species', async () => {
    const named = async (other: string) => {
      await writeFile(join(out, 'other.csv'), labelsCsv(['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'other', other]));
      return exported(detectionsCsv, '--labels', join(out, 'other.csv'));
    };
    for (const name of ['Periparus', 'some tit', 'Engine'])
      expect(await named(name), name).toMatchObject({
        ...{ code: 1, said: expect.stringContaining(`other.csv: Line 2: "${name}" is no Other species, which is a species`) },
      });
    for (const name of ['Coal Tit', 'Tannenmeise', 'Parus ater', 'Periparus ater']) {
      expect(await named(name), name).toMatchObject({
        code: 0,
        said: expect.stringMatching(
          /^5 detections \(1 confirmed\).*\nLeft out: 1 detection that a person .*\n(?:.*\n)*Counted instead: 1 bird that a person named\.\n$/,
        ),
      });
      expect(await occurrencesIn(join(out, 'archive.zip'))).toContain(',HumanObservation,present,Periparus ater,');
    }
  });

  it('leaves out labels that name no species, if asked to, and says which', async () => {
    await writeFile(join(out, 'other.csv'), labelsCsv(['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'other', 'Periparus']));
    expect(await exported(detectionsCsv, '--labels', join(out, 'other.csv'), '--leave-out-incomplete')).toMatchObject({
      ...{
        code: 0,
        said: expect.stringContaining('Left out of the labels, because the model knows no such species: Periparus.'),
      },
    });
    expect(await occurrencesIn(join(out, 'archive.zip'))).not.toContain('Periparus');
  });

  it('leaves birds without day or place out of a file for eBird if asked to, and otherwise refuses to write it', async () => {
    // A recording over midnight: its first bird has no day, its second one has; its third is not confirmed.
    const row = (start: number, name: string, date: string) =>
      `${start},${start + 3},${name},,0.9,0.9,FALSE,x.wav,1,2,${date},birdnet-v2.4,Fen,,,\n`;
    const [header = ''] = detectionsCsv.split('\n');
    const rows = row(0, 'Turdus merula', '') + row(3, 'Strix aluco', '2026-10-24') + row(6, 'Corvus corax', '2026-10-24');
    await writeFile(join(out, 'birds.csv'), `${header}\n${rows}`);
    const ebird = [join(out, 'birds.csv'), '--format', 'ebird', '--out', join(out, 'e.csv'), '--labels', join(out, 'labels.csv')];
    const confirm = (...birds: (readonly [number, string])[]) =>
      writeFile(
        join(out, 'labels.csv'),
        labelsCsv(...birds.map(([start, name]) => ['Ada', 'x.wav', start, name, 'yes'] as const)),
      );
    await confirm([0, 'Turdus merula'], [3, 'Strix aluco']);
    expect(await run(...ebird)).toMatchObject({
      code: 1,
      said: expect.stringContaining('1 of 2 confirmed detections has no day, which the format asks for; the first is in x.wav.'),
    });
    expect(await run(...ebird, '--leave-out-incomplete')).toMatchObject({
      ...{ code: 0, said: expect.stringContaining('Left out: 1 confirmed detection without day.') },
    });
    expect((await readFile(join(out, 'e.csv'), 'utf8')).match(/^,Strix,aluco,/gm)).toHaveLength(1);
    const stationary = ['--protocol', 'Stationary', '--observers', '1', '--leave-out-incomplete', '--overwrite'];
    expect((await run(...ebird, ...stationary)).said).toContain('2 of 2 confirmed detections have no day, length or time in UTC');
    await confirm([0, 'Turdus merula']);
    const nothing = await run(...ebird, '--leave-out-incomplete', '--overwrite');
    expect(nothing).toMatchObject({
      code: 1,
      said: expect.stringMatching(/1 of 1 confirmed .* takes it from recordings and their names\.\n$/),
    });
  });

  it('writes today’s names of species for eBird and those of 2021 in archives, and lists species split since', async () => {
    const of2021 = detectionsCsv.replaceAll('Turdus merula', 'Accipiter cooperii').replaceAll('Strix aluco', 'Larus argentatus');
    await writeFile(join(out, 'birds.csv'), of2021);
    await writeFile(join(out, 'birds.files.csv'), effortCsv);
    await writeFile(
      join(out, 'labels.csv'),
      labelsCsv(
        ['Ada', './cards/A/a.wav', 6, 'Accipiter cooperii', 'yes'],
        ['Ada', '../B/night.flac', 30, 'Larus argentatus', 'yes'],
      ),
    );
    const given = [join(out, 'birds.csv'), '--labels', join(out, 'labels.csv'), '--overwrite'];
    const ebird = [...given, '--format', 'ebird', '--out', join(out, 'e.csv')];
    const { said } = await run(...ebird);
    expect(said).toContain(
      'Larus argentatus is now several species in eBird: choose Larus argentatus, Larus mongolicus, Larus smithsonianus, Larus vegae.\n',
    );
    const names = async () =>
      (await readFile(join(out, 'e.csv'), 'utf8')).split('\n').map((line) => line.split(',', 3).join(' ').trim());
    expect(await names()).toEqual(['Astur cooperii', 'Larus argentatus sensu lato', '']);
    expect((await run(...ebird, '--taxonomy', '2021')).said).not.toContain('several species');
    expect(await names()).toEqual(['Accipiter cooperii', 'Larus argentatus', '']);
    const label = ['Ada', '../B/night.flac', 30, 'Larus argentatus', 'other', 'Astur gentilis'] as const;
    await writeFile(join(out, 'others.csv'), labelsCsv(label));
    expect((await run(...ebird, '--labels', join(out, 'others.csv'))).said).not.toContain('several species');
    expect(await names()).toEqual(['Astur gentilis', '']);
    const archive = [
      ...given,
      '--format',
      'camtrap-dp',
      ...about,
      '--sampling-design',
      'targeted',
      '--out',
      join(out, 'package'),
    ];
    const observed = async (...more: string[]) => {
      await run(...archive, ...more);
      return readFile(join(out, 'package/observations.csv'), 'utf8');
    };
    expect(await observed()).toContain(',Accipiter cooperii,');
    expect(await observed('--taxonomy', '2025')).toContain(',Astur cooperii,');
  });

  it('reads tables that identify wrote with --sounds and --excel-safe, and exports only their birds', async () => {
    const [header = '', ...rows] = detectionsCsv.trimEnd().split('\n');
    const of = (row: string) =>
      row.includes('Strix aluco')
        ? row.replace(/,0\.97?,false/, ',,FALSE')
        : row.replace(/,(true|false),/, (hidden) => hidden.toUpperCase());
    const kinds = rows.map((row) => `${of(row)},${row.includes('Strix aluco') ? 'sound' : 'bird'}`);
    await writeFile(join(out, 'birds.csv'), `\ufeff${[`${header},Kind`, ...kinds].join('\n')}\n`);
    await writeFile(join(out, 'birds.files.csv'), `\ufeff${effortCsv}`);
    const { said } = await run(join(out, 'birds.csv'), ...camtrap.slice(1), join(out, 'package'));
    expect(said).toContain('3 detections (0 confirmed) in 4 recordings');
    expect(said).toContain('Left out: 1 detection hidden by location.');
  });

  it('says what is wrong with a table or an option that it cannot use', async () => {
    const path = join(out, 'x');
    const says = async (sentence: string, ...args: string[]) => expect((await run(...args)).said).toContain(sentence);
    await says('The format camtrap-dp needs --title, such as', 'birds.csv', '--format', 'camtrap-dp', '--out', path);
    await says('needs --sampling-design', 'birds.csv', '--format', 'camtrap-dp', '--out', path, ...about);
    await says('give --license and --media-license', ...camtrap, path, '--license', 'CC0-1.0');
    await says('needs --license', 'birds.csv', '--format', 'darwin-core', '--out', path, ...about);
    await says("nothing.csv can't be read: there is no such file.", 'nothing.csv', ...camtrap.slice(1), path);
    await says('birds.files.csv has no column', 'birds.files.csv', ...camtrap.slice(1), path);
    await writeFile(path, 'mine');
    await says('is a file; this format is written to a folder', ...camtrap, path);
    await mkdir(`${path}.zip`);
    await says(
      'is a folder; this format',
      'birds.csv',
      '--format',
      'darwin-core',
      '--out',
      `${path}.zip`,
      ...about,
      '--license',
      'CC0-1.0',
    );
  });
});
