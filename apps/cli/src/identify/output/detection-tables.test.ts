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
  const { head = '', one } = outputFormats[format](tables);
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

it('Tables tell birds from other sounds in the column Kind, which is missing if other sounds were not requested', () => {
  const sounds = { ...bird, scientificName: 'Engine', commonName: 'Engine', confidence: 0 };
  const all: Outcome[] = [
    {
      ...{ kind: 'answered', shownAs: 'a.wav', path: '/garden/a.wav', circumstances: nowhere },
      prediction: makePrediction({
        detections: [{ ...sounds, kind: 'sound' }, { ...sounds, commonName: 'Frog', kind: 'animal' }, bird],
      }),
    },
  ];
  for (const format of ['csv', 'raven', 'analyzer', 'kaleidoscope'] as const) {
    const [header = [], ...rows] = write(format, all, { sounds: true });
    expect(
      rows.map((row) => row[header.indexOf('Kind')]),
      format,
    ).toEqual(['sound', 'animal', 'bird']);
    expect(
      rows.every((row) => row.length === header.length),
      format,
    ).toBe(true);
    expect(write(format, [heard('a.wav')])[0], format).not.toContain('Kind');
  }
  expect(write('audacity', all).map(([, , label]) => label)).toContain('Engine 0.91');
});

it('An Audacity label track has times from the start of its own recording', () => {
  const label = ['3.000000', '9.000000', 'Common Chiffchaff 0.91'];
  expect(write('audacity', [heard('a.wav')])).toEqual([label]);
  expect(write('audacity', [heard('a.wav'), heard('b.wav')])).toEqual([label, label]);
});

it('Tables for Analyzer and Kaleidoscope never have birds hidden by location, which nothing in them could mark', () => {
  for (const format of ['analyzer', 'kaleidoscope'] as const) {
    const [, ...rows] = write(format, [withHidden], { showHidden: true });
    expect(rows.flat(), format).toContain('Common Chiffchaff');
    expect(rows.flat(), format).not.toContain('Northern Cardinal');
  }
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
  expect(write('audacity', all, { showHidden: true })[0]?.[2]).toBe('Northern Cardinal 0.94 (hidden)');
});

it('A CSV table alters a file name only with --excel-safe', () => {
  const nameIn = (tables: TableOptions) => {
    const [header, row] = write('csv', [withHidden], tables);
    return row?.[header?.indexOf('File') ?? -1];
  };
  expect(nameIn({})).toBe('=june.wav');
  expect(nameIn({ excelSafe: true })).toBe('./=june.wav');
});

it('A table for BirdNET-Analyzer has the score as its confidence', () => {
  expect(write('analyzer', outcomes)).toEqual([
    ['Start (s)', 'End (s)', 'Scientific name', 'Common name', 'Confidence', 'File'],
    ['3.0', '9.0', 'Phylloscopus collybita', 'Common Chiffchaff', '0.9100', '/garden/may/1.wav'],
    ['3.0', '9.0', 'Phylloscopus collybita', 'Common Chiffchaff', '0.9100', '/garden/june/1.wav'],
  ]);
});

it('A table for Kaleidoscope has that program’s columns, with the score and an empty MANUAL ID', () => {
  expect(write('kaleidoscope', outcomes)).toEqual([
    ['INDIR', 'FOLDER', 'IN FILE', 'OFFSET', 'DURATION', 'TOP1MATCH', 'TOP1DIST', 'MANUAL ID'],
    ['/garden', 'may', '1.wav', '3.0', '6.0', 'Common Chiffchaff', '0.9100', ''],
    ['/garden', 'june', '1.wav', '3.0', '6.0', 'Common Chiffchaff', '0.9100', ''],
  ]);
});

it('A table for Kaleidoscope leaves the columns of folders empty for a recording in the root folder of a disk', () => {
  const [, row] = write('kaleidoscope', [{ ...withHidden, kind: 'answered', path: '/x.wav' } as Outcome]);
  expect(row?.slice(0, 3)).toEqual(['', '', 'x.wav']);
});
