import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readThresholds, surveyCsvHeader } from '@chiffchaff/survey';
import { labelsCsv } from '@chiffchaff/survey/testing/tables';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exitCode } from '../command-error.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { readOptions } from '../testing/read-options.ts';
import { thresholdsCommand } from './options.ts';
import { runThresholds } from './run-thresholds.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-thresholds-'));
});
afterEach(() => rm(folder, { recursive: true }));

const header = surveyCsvHeader().trimEnd().split(',');
const row = (start: number, confidence: number, file = 'a.wav'): string => {
  const cells: Readonly<Record<string, string | number>> = {
    ...{ 'Start (s)': start, 'End (s)': start + 3, 'Scientific name': 'Parus major', 'Common name': 'Great Tit' },
    ...{ Score: confidence, Confidence: confidence, File: file, Hidden: 'false' },
  };
  return `${header.map((name) => cells[name] ?? '').join(',')}\n`;
};
/** Ten detections; the five with the highest confidence are right. */
const starts = Array.from({ length: 10 }, (_, index) => 3 * index);
const putAll = async () => {
  await writeFile(
    join(folder, 'birds.csv'),
    `${header.join(',')}\n${starts.map((start) => row(start, 0.95 - start / 30)).join('')}`,
  );
  await writeFile(
    join(folder, 'labels.csv'),
    labelsCsv(...starts.map((start) => ['Ada', 'a.wav', start, 'Parus major', start < 15 ? 'yes' : 'no'] as const)),
  );
};

async function run(...args: readonly string[]) {
  const terminal = createCapturedTerminal();
  const options = readOptions(thresholdsCommand, ['labels.csv', ...args]);
  const { signal } = new AbortController();
  const code = await runThresholds(options, { config: { startFolder: folder }, terminal, signal });
  return { code, said: terminal.said(), written: terminal.written() };
}

it('`chiffchaff thresholds` prints a threshold for each species, explains it, and writes a table for `identify`', async () => {
  await putAll();
  const { code, said, written } = await run('--detections', 'birds.csv', '--target', '0.6', '--out', 'thresholds.csv');
  expect(code).toBe(exitCode.done);
  const [head = '', line = '', ...more] = written.trimEnd().split('\n');
  expect(head).toMatch(/^Species +Labels +Threshold +90 % +Right +90 % +Kept$/);
  expect(line).toMatch(
    /^Parus major +10 \(5 right\) +0\.\d\d +0\.\d\d–[01]\.\d\d +[678]\d % +\d+ %–\d+ % +\d+ % +label more about 0\.\d\d$/,
  );
  expect(more).toEqual([]);
  expect(said).toContain('Methods: 10 detections of 1 species were labelled by listening.');
  expect(said).toContain(
    'at least 60 % of the detections kept are expected to be right with 80 % certainty\n(among all detections',
  );
  expect(said).toContain('intervals are 90 % intervals of the expected share.');
  const [columns = '', values = ''] = (await readFile(join(folder, 'thresholds.csv'), 'utf8')).split('\n');
  expect(columns).toMatch(/^Scientific name,Target precision,Threshold,/);
  expect(values).toMatch(/^Parus major,0\.6,0\.\d{4},/);
  await expect(run('--detections', 'birds.csv', '--out', 'thresholds.csv')).rejects.toThrow('thresholds.csv exists already');
});

it('`chiffchaff thresholds` counts a detection that is in two tables only once', async () => {
  await putAll();
  await writeFile(join(folder, 'again.csv'), await readFile(join(folder, 'birds.csv')));
  const of = async (...tables: readonly string[]) => (await run(...tables.flatMap((table) => ['--detections', table]))).written;
  expect(await of('birds.csv', 'again.csv')).toBe(await of('birds.csv'));
  await run('--detections', 'birds.csv', '--detections', 'again.csv', '--out', 'two.csv');
  expect((await readFile(join(folder, 'two.csv'), 'utf8')).split('\n')[1]).toMatch(/,10,5,10,(true|false)$/);
});

it('`chiffchaff thresholds` keeps all detections of a species while its labels are too few, and says so', async () => {
  await putAll();
  for (const label of ['yes', 'no'] as const) {
    await writeFile(join(folder, 'labels.csv'), labelsCsv(['Ada', 'a.wav', 0, 'Parus major', label]));
    const { written, said } = await run('--detections', 'birds.csv', '--target', '0.9', '--out', 'one.csv', '--overwrite');
    expect(written).toMatch(/\nParus major +1 \(\d right\) +all kept .* 100 % +label more about 0\.\d\d\n$/);
    expect(said).toContain('Not enough labels for a threshold: Parus major. Detections of these species are all kept.\n');
    const thresholds = readThresholds(await readFile(join(folder, 'one.csv'), 'utf8'), 'one.csv');
    expect([...thresholds]).toEqual([['Parus major', null]]);
  }
});

it('`chiffchaff thresholds` says for which species no confidence is high enough', async () => {
  await putAll();
  const no = starts.flatMap((start) => ['a.wav', 'b.wav'].map((file) => ['Ada', file, start, 'Parus major', 'no'] as const));
  await writeFile(
    join(folder, 'birds.csv'),
    `${header.join(',')}\n${starts.flatMap((start) => ['a.wav', 'b.wav'].map((file) => row(start, 0.95 - start / 30, file))).join('')}`,
  );
  await writeFile(join(folder, 'labels.csv'), labelsCsv(...no));
  const { written, said } = await run('--detections', 'birds.csv');
  expect(written).toMatch(/\nParus major +20 \(0 right\) +none .* 0 % /);
  expect(said).toContain('No confidence is high enough for 95 %: Parus major. None of their detections is kept.\n');
});

it('`chiffchaff thresholds` says of which species even the surest detections are often wrong', async () => {
  await putAll();
  const many = Array.from({ length: 160 }, (_, index) => 3 * index);
  // Below 0.5 all are wrong; above, one in six is, however high the confidence.
  const confidenceOf = (start: number) => 0.05 + start / 533;
  await writeFile(
    join(folder, 'birds.csv'),
    `${header.join(',')}\n${many.map((start) => row(start, confidenceOf(start))).join('')}`,
  );
  const labels = many.map(
    (start) => ['Ada', 'a.wav', start, 'Parus major', confidenceOf(start) > 0.5 && start % 18 !== 0 ? 'yes' : 'no'] as const,
  );
  await writeFile(join(folder, 'labels.csv'), labelsCsv(...labels));
  const { said } = await run('--detections', 'birds.csv', '--target', '0.8');
  expect(said).toMatch(
    /Parus major levels off: however high the confidence, about 8\d % are right\. The logistic function alone/,
  );
});

it('`chiffchaff thresholds` names the tables and labels that it needs if they are not given', async () => {
  await putAll();
  await expect(run()).rejects.toThrow('Give the tables of identify with --detections.');
  await writeFile(join(folder, 'moved.csv'), `${header.join(',')}\n${row(0, 0.95, 'card/a.wav')}`);
  await expect(run('--detections', 'moved.csv')).rejects.toThrow(
    'None of the detections labelled in labels.csv is in these tables. The first is in a.wav.',
  );
  await writeFile(join(folder, 'labels.csv'), labelsCsv(['Ada', 'a.wav', 0, 'Parus major', 'unsure']));
  await expect(run('--detections', 'birds.csv')).rejects.toThrow('labels.csv has no label that says yes, no or other.');
  await writeFile(join(folder, 'labels.csv'), 'Species,Right\n');
  await expect(run()).rejects.toThrow('labels.csv has no column Label id, By,');
  await rm(join(folder, 'labels.csv'));
  await expect(run()).rejects.toThrow("The labels labels.csv can't be read: there is no such file.");
});
