import type { TableOptions } from '@chiffchaff/contract';
import { expect, it } from 'vitest';
import { makePrediction, nowhere } from '../../testing/fake-analyzer.ts';
import type { Format } from '../options.ts';
import { outputFormats } from './formats.ts';
import type { Outcome } from './outcome.ts';

const heard = (shownAs: string): Outcome => ({
  kind: 'answered',
  shownAs,
  path: `/garden/${shownAs}`,
  prediction: makePrediction(),
  circumstances: nowhere,
});
const [bird] = makePrediction().detections;
if (!bird) throw new Error('no detection');
const withHidden: Outcome = {
  ...{ kind: 'answered', shownAs: '=june.wav', path: '/garden/=june.wav' },
  prediction: makePrediction({
    detections: [{ ...bird, commonName: 'Northern Cardinal', score: 0.94, confidence: 0, hidden: true }, bird],
  }),
  circumstances: nowhere,
};
const failed: Outcome = {
  kind: 'failed',
  shownAs: 'broken.wav',
  code: 'RECORDING_EMPTY',
  message: 'There is no audio in this file.',
};
const outcomes = [heard('may/1.wav'), failed, heard('june/1.wav')];

function write(format: Exclude<Format, 'table' | 'json'>, all: readonly Outcome[], tables: TableOptions = {}): string[][] {
  const { head = '', one } = outputFormats[format]({ severalRecordings: all.length > 1, tables });
  return (head + all.map(one).join(''))
    .trimEnd()
    .split('\n')
    .map((line) => line.split(format === 'raven' || format === 'audacity' ? '\t' : ','));
}

it('A CSV table distinguishes recordings with the same name by the path given', () => {
  const [header, ...rows] = write('csv', outcomes);
  const file = header?.indexOf('File') ?? -1;
  expect(rows.map((row) => row[file])).toEqual(['may/1.wav', 'june/1.wav']);
});

it('A Raven table numbers selections across recordings, and gives each its recording and the time in it', () => {
  const [header, ...rows] = write('raven', outcomes);
  const column = (name: string) => rows.map((row) => row[header?.indexOf(name) ?? -1]);
  expect(column('Selection')).toEqual(['1', '2']);
  expect(column('Begin Time (s)')).toEqual(['3', '34.2']);
  expect(column('Begin Path')).toEqual(['/garden/may/1.wav', '/garden/june/1.wav']);
  expect(column('File Offset (s)')).toEqual(['3', '3']);
});

it('An Audacity label track places recordings end to end, each under its name', () => {
  expect(write('audacity', outcomes)).toEqual([
    ['0.000000', '31.200000', 'may/1.wav'],
    ['3.000000', '9.000000', 'Common Chiffchaff 0.91'],
    ['31.200000', '62.400000', 'june/1.wav'],
    ['34.200000', '40.200000', 'Common Chiffchaff 0.91'],
  ]);
  expect(write('audacity', [heard('a.wav')])).toEqual([['3.000000', '9.000000', 'Common Chiffchaff 0.91']]);
});

it('A Raven table of several recordings contains birds hidden by location only if they are requested', () => {
  const all = [withHidden, heard('june/1.wav')];
  const selections = (tables: TableOptions) => write('raven', all, tables).map((row) => [row[0], row[7]].join(' '));
  expect(selections({}).slice(1)).toEqual(['1 Common Chiffchaff', '2 Common Chiffchaff']);
  expect(selections({ showHidden: true }).slice(1)).toEqual([
    '1 Northern Cardinal',
    '2 Common Chiffchaff',
    '3 Common Chiffchaff',
  ]);
  expect(write('audacity', all).map(([, , label]) => label)).not.toContain('Northern Cardinal 0.94 (hidden)');
  expect(write('audacity', all, { showHidden: true })[1]?.[2]).toBe('Northern Cardinal 0.94 (hidden)');
});

it('A CSV table alters a file name only with --excel-safe', () => {
  const nameIn = (tables: TableOptions) => {
    const [header, row] = write('csv', [withHidden], tables);
    return row?.[header?.indexOf('File') ?? -1];
  };
  expect(nameIn({})).toBe('=june.wav');
  expect(nameIn({ excelSafe: true })).toBe("'=june.wav");
});

it('A table for BirdNET-Analyzer has the score as its confidence', () => {
  expect(write('analyzer', outcomes)).toEqual([
    ['Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Confidence', 'File'],
    ['3.0', '9.0', 'Phylloscopus collybita', 'Common Chiffchaff', '0.9100', '/garden/may/1.wav'],
    ['3.0', '9.0', 'Phylloscopus collybita', 'Common Chiffchaff', '0.9100', '/garden/june/1.wav'],
  ]);
});

it('A table for Kaleidoscope has the columns by which it finds a recording and its clips', () => {
  const [header, first] = write('kaleidoscope', outcomes);
  const { conditions } = makePrediction();
  expect(header?.slice(0, 5)).toEqual(['INDIR', 'FOLDER', 'IN FILE', 'OFFSET', 'DURATION']);
  expect(first?.slice(0, 8)).toEqual([
    '/garden',
    'may',
    '1.wav',
    '3.0',
    '6.0',
    'Phylloscopus collybita',
    'Common Chiffchaff',
    '0.9100',
  ]);
  expect(first?.slice(8)).toEqual([
    (conditions.latitude ?? -1).toFixed(4),
    (conditions.longitude ?? -1).toFixed(4),
    String(conditions.week ?? -1),
    '1.5',
    '1.0',
  ]);
  expect(header).toHaveLength(first?.length ?? 0);
});

it('Tables for other programs contain hidden birds only if requested', () => {
  for (const format of ['analyzer', 'kaleidoscope'] as const) {
    expect(write(format, [withHidden]).length, format).toBe(2);
    expect(write(format, [withHidden], { showHidden: true }).length, format).toBe(3);
  }
});
