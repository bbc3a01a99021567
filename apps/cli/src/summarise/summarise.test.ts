import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { circumstancesOf, effortHeader, effortRow, surveyCsvHeader, surveyCsvRows } from '@chiffchaff/survey';
import { labelsCsv } from '@chiffchaff/survey/testing/tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCode } from '../command-error.ts';
import { readConfig } from '../config.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { makePrediction } from '../testing/fake-analyzer.ts';
import { readOptions } from '../testing/read-options.ts';
import { summariseCommand } from './options.ts';
import { runSummarise } from './run-summarise.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-summarise-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SITES = 'site,recorder,time zone,clock\nMill,SMM1,Europe/Berlin,UTC\n';

/** What `identify` writes for a recording that began at that time (UTC), with a bird from its third second on. */
function recorded(name: string, date: string, time: string) {
  const metadata = { date: { value: date, from: 'name' as const }, place: null, time, offsetMinutes: null, temperature: null };
  const circumstances = circumstancesOf(
    name,
    { ...metadata, recorders: ['SMM1'] },
    { sites: [{ line: 2, site: 'Mill', folder: '', recorder: 'SMM1', place: null, timeZone: 'Europe/Berlin', clock: 'UTC' }] },
  );
  const prediction = makePrediction({ recording: { ...makePrediction().recording, fileName: name, durationSeconds: 3600 } });
  return {
    rows: surveyCsvRows({ prediction, circumstances }, {}),
    effort: effortRow({ file: name, analysed: { seconds: 3600, detections: 1, circumstances }, problem: null }),
  };
}

async function run(...args: readonly string[]) {
  const terminal = createCapturedTerminal();
  const options = readOptions(summariseCommand, ['--out', 'season', ...args]);
  const surroundings = {
    config: readConfig({}, folder),
    terminal,
    signal: new AbortController().signal,
  };
  return { code: await runSummarise(options, surroundings, new Date('2026-11-01')), said: terminal.said() };
}
const read = (name: string) => readFile(join(folder, 'season', name), 'utf8');

describe('`chiffchaff summarise`', () => {
  it('summarises the tables of `identify`, across midnight and the end of daylight saving', async () => {
    await writeFile(join(folder, 'sites.csv'), SITES);
    // 23:30 summer time, then 2:30 in the hour that occurs twice; each lasts an hour.
    const all = [recorded('a.wav', '2026-10-24', '21:30:00'), recorded('b.wav', '2026-10-25', '00:30:00')];
    await writeFile(join(folder, 'birds.csv'), surveyCsvHeader() + all.map(({ rows }) => rows).join(''));
    await writeFile(join(folder, 'birds.files.csv'), effortHeader() + all.map(({ effort }) => effort).join(''));
    expect(await run('birds.csv', '--sites', 'sites.csv')).toEqual({
      code: exitCode.done,
      said: '2 detections of 1 species are summarised in season.\n',
    });
    expect((await read('species-day-site.csv')).split('\n').slice(1)).toEqual([
      'Phylloscopus collybita,Common Chiffchaff,Mill,2026-10-24,1,0.5,2.000',
      'Phylloscopus collybita,Common Chiffchaff,Mill,2026-10-25,1,1.5,0.667',
      '',
    ]);
    const byHour = (await read('species-hour.csv')).split('\n').slice(1);
    expect([byHour[23], byHour[0], byHour[2], byHour[3]]).toEqual([
      'Phylloscopus collybita,Common Chiffchaff,23,1,0.5,2.000',
      'Phylloscopus collybita,Common Chiffchaff,0,0,0.5,0.000',
      'Phylloscopus collybita,Common Chiffchaff,2,1,1,1.000',
      'Phylloscopus collybita,Common Chiffchaff,3,,0,',
    ]);
    expect(await read('report.html')).toContain('2026-10-24 to 2026-10-25');
    await expect(run('birds.csv')).rejects.toThrow('species-hour.csv exists already. Add --overwrite');
    expect((await run('birds.csv', '--overwrite', '--min-score', '0.95')).said).toContain('0 detections of 0 species');
  });

  it('reads a table with the line ends, the encoding and the separators of spreadsheets', async () => {
    const { rows, effort } = recorded('Mühle.wav', '2026-10-24', '21:30:00');
    const [birds, files] = [surveyCsvHeader() + rows, effortHeader() + effort];
    const saved = (text: string) => Buffer.from(text.replaceAll(',', ';').replaceAll('\n', '\r'), 'latin1');
    await writeFile(join(folder, 'birds.csv'), saved(birds));
    await writeFile(join(folder, 'birds.files.csv'), saved(files));
    const { said } = await run('birds.csv');
    expect(said).toBe(
      'birds.csv is not UTF-8; it is read as Windows-1252, which gives “°C, Mühle”. If that is wrong, so are other names: save it as CSV UTF-8.\n' +
        'birds.files.csv is not UTF-8; it is read as Windows-1252, which gives “Mühle”. If that is wrong, so are other names: save it as CSV UTF-8.\n' +
        '1 detection of 1 species is summarised in season.\n',
    );
  });

  it('says which sites of the list of sites have no recording in the tables', async () => {
    const { rows, effort } = recorded('a.wav', '2026-10-24', '21:30:00');
    await writeFile(join(folder, 'sites.csv'), `${SITES}Fen,SMM2,Europe/Berlin,UTC\n`);
    await writeFile(join(folder, 'birds.csv'), surveyCsvHeader() + rows);
    await writeFile(join(folder, 'birds.files.csv'), effortHeader() + effort);
    expect((await run('birds.csv', '--sites', 'sites.csv')).said).toContain(
      'sites.csv: Line 3 (Fen) matched no recording in these tables.\n',
    );
  });

  it('counts a detection that is in two tables only once, and a corrected one as the bird it was corrected to', async () => {
    const { rows } = recorded('a.wav', '2026-10-24', '21:30:00');
    for (const name of ['one.csv', 'two.csv']) await writeFile(join(folder, name), surveyCsvHeader() + rows);
    expect((await run('one.csv', 'two.csv')).said).toMatch(/^1 detection of 1 species/);
    const label = labelsCsv(['Ada', 'a.wav', 3, 'Phylloscopus collybita', 'other', 'Phylloscopus trochilus']);
    await writeFile(join(folder, 'labels.csv'), label.replace(',3,6,', ',3,9,'));
    const { said } = await run('one.csv', 'two.csv', '--labels', 'labels.csv', '--overwrite');
    expect(said).toMatch(
      /^1 detection of 1 species.*\nLeft out: 1 detection .*\nCounted instead: 1 bird that a person named\.\n/,
    );
    expect(await read('species-day-site.csv')).toContain('Phylloscopus trochilus,,Mill,2026-10-24,1,');
    expect(await read('report.html')).toContain('<td>–</td></tr>');
  });

  it('leaves out detections below the given thresholds or rejected by a label, but not those that a person confirmed', async () => {
    const all = ['a.wav', 'b.wav', 'c.wav'].map((name) => recorded(name, '2026-10-24', '08:00:00'));
    await writeFile(join(folder, 'birds.csv'), surveyCsvHeader() + all.map(({ rows }) => rows).join(''));
    const table = (text: string) =>
      writeFile(join(folder, 't.csv'), `Scientific name,Threshold,Outcome\nPhylloscopus collybita,${text}\n`);
    const name = 'Phylloscopus collybita';
    const labels = labelsCsv(['Ada', 'a.wav', 3, name, 'yes'], ['Ada', 'b.wav', 3, name, 'no']);
    await writeFile(join(folder, 'labels.csv'), labels.replaceAll(',3,6,', ',3,9,'));
    const counted = async (...args: string[]) => (await run('birds.csv', '--overwrite', ...args)).said;
    await table('0.99,');
    expect(await counted('--thresholds', 't.csv')).toMatch(
      /^0 detections of 0 species .*\nLeft out: 3 detections below the threshold of their species\.\n/,
    );
    expect(await read('report.html')).toContain('Below the threshold of their species');
    expect(await counted('--thresholds', 't.csv', '--labels', 'labels.csv')).toMatch(
      /^1 detection of 1 species .*\nLeft out: 1 detection that a person .*\nLeft out: 1 detection below the threshold/,
    );
    await table('0.99,\nAstur gentilis,0.9,\nKohlmeise,0.9,');
    expect(await counted('--thresholds', 't.csv')).toContain(
      'There are thresholds, but no detections in these tables, for Astur gentilis and 1 more species.\n',
    );
    expect(await counted('--labels', 'labels.csv')).toMatch(/^2 detections of 1 species/);
    await table(',not enough labels');
    expect(await counted('--thresholds', 't.csv')).toMatch(
      /^t\.csv has no threshold for Phylloscopus collybita \(not enough labels\): all their detections are kept\.\n3 detections of 1 species/,
    );
  });

  it('says that the disk may be read-only where no folder can be made', async () => {
    await writeFile(join(folder, 'birds.csv'), surveyCsvHeader());
    // A link to nowhere gives the same error as a read-only disk.
    await symlink(join(folder, 'gone', 'away'), join(folder, 'season'));
    await expect(run('birds.csv')).rejects.toThrow(
      "season can't be written: no folder can be made there; the disk may be read-only.",
    );
  });

  it('says if the recorded hours are unknown, and refuses tables of other programs', async () => {
    const { rows } = recorded('a.wav', '2026-10-24', '21:30:00');
    await writeFile(join(folder, 'birds.csv'), surveyCsvHeader() + rows);
    expect((await run('birds.csv')).said).toContain('effort is not known');
    await writeFile(join(folder, 'analyzer.csv'), 'Start (s),End (s),Scientific name,Common name,Confidence,File\n');
    await expect(run('analyzer.csv', '--overwrite')).rejects.toThrow(
      'analyzer.csv: This is a table of BirdNET-Analyzer, which has no score. Give the CSV of identify (--format csv --out NAME.csv)',
    );
  });
});
