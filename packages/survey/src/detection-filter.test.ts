import { describe, expect, it } from 'vitest';
import { createDetectionFilter } from './detection-filter.ts';
import { readLabels } from './labels.ts';
import type { ListedDetection } from './read/listed-detection.ts';
import { type FakeLabel, labelsCsv } from './testing/fake-tables.ts';

const heard = (startSeconds: number, confidence: number, more: Partial<ListedDetection> = {}): ListedDetection => ({
  ...{ file: 'a.wav', startSeconds, endSeconds: startSeconds + 3, scientificName: 'Parus major', commonName: 'Great Tit' },
  ...{ score: confidence, confidence, isHidden: false, site: '', date: '', time: '' },
  settings: { Model: '', 'Min score': '', 'Min confidence': '', 'Overlap (s)': '' },
  ...more,
});
const filterOf = (thresholds: readonly (readonly [string, number | null])[], ...labels: FakeLabel[]) =>
  createDetectionFilter({ thresholds: new Map(thresholds), labels: readLabels(labelsCsv(...labels), 'labels.csv') });
const label = (start: number, said: string): FakeLabel => ['Ada', 'a.wav', start, 'Parus major', said];

describe('The filter of detections', () => {
  it('leaves out what is hidden, below its threshold, or labelled as another bird or none, and counts these', () => {
    const filter = filterOf([['Parus major', 0.6]], label(6, 'no'), label(9, 'other'), label(12, 'unsure'), label(99, 'yes'));
    const detections = [
      heard(0, 0.6),
      heard(3, 0.59),
      heard(6, 0.9),
      heard(9, 0.9),
      heard(12, 0.9),
      heard(15, 0, { isHidden: true }),
    ];
    expect(detections.map((each) => filter.keeps(each))).toEqual([true, false, false, false, true, false]);
    expect(filter.leftOut()).toEqual({ rejected: 2, hidden: 1, belowThreshold: 1, unmatchedLabels: 1, unheardSpecies: [] });
  });

  it('counts a detection that is in two tables as left out only once', () => {
    const filter = filterOf([['Parus major', 0.6]], label(6, 'no'));
    for (const each of [heard(6, 0.9), heard(9, 0.1), heard(12, 0, { isHidden: true, scientificName: 'Apus apus' })])
      expect([filter.keeps(each), filter.keeps({ ...each, file: './a.wav' })]).toEqual([false, false]);
    expect(filter.leftOut()).toMatchObject({ rejected: 1, hidden: 1, belowThreshold: 1 });
  });

  it('names the birds that people heard instead of the detected ones, each once, without those that a table has', () => {
    const other = (start: number, name: string, instead: string): FakeLabel => ['Ada', 'a.wav', start, name, 'other', instead];
    const filter = filterOf(
      [['Apus apus', 0.6]],
      other(0, 'Parus major', 'Parus ater'),
      other(0, 'Parus minor', 'Parus ater'),
      other(3, 'Parus major', 'Apus apus'),
      other(6, 'Parus major', 'Apus apus'),
      other(9, 'Parus major', ''),
    );
    for (const each of [
      ...[heard(0, 0.9), heard(0, 0.9), heard(0, 0.9, { scientificName: 'Parus minor' }), heard(3, 0.9), heard(6, 0.9)],
      ...[heard(3, 0.7, { scientificName: 'Apus apus' }), heard(6, 0.2, { scientificName: 'Apus apus' }), heard(9, 0.9)],
    ])
      filter.keeps(each);
    expect(filter.named()).toMatchObject([
      { startSeconds: 0, scientificName: 'Parus ater', commonName: '', confidence: 0 },
      { startSeconds: 6, scientificName: 'Apus apus' },
    ]);
    expect(filter.leftOut()).toMatchObject({ rejected: 5, belowThreshold: 1 });
  });

  it('keeps what a person confirmed, even if it is hidden or below its threshold', () => {
    const filter = filterOf([['Parus major', Number.POSITIVE_INFINITY]], label(0, 'yes'), label(3, 'yes'));
    const detections = [heard(0, 0.1), heard(3, 0, { isHidden: true }), heard(6, 0.1)];
    expect(detections.map((each) => filter.keeps(each))).toEqual([true, true, false]);
  });

  it('counts every label that fits no detection in the tables, two if two people labelled the same', () => {
    const filter = filterOf([], label(99, 'yes'), ['Eve', 'a.wav', 99, 'Parus major', 'no'], label(0, 'yes'));
    expect(filter.keeps(heard(0, 0.9))).toBe(true);
    expect(filter.leftOut()).toEqual({ rejected: 0, hidden: 0, belowThreshold: 0, unmatchedLabels: 2, unheardSpecies: [] });
  });

  it('names the species with thresholds that no table has, such as one that is misspelt', () => {
    const filter = filterOf([
      ['Parus major', 0.6],
      ['Parus mayor', 0.6],
      ['Apus apus', null],
    ]);
    filter.keeps(heard(0, 0, { isHidden: true }));
    expect(filter.leftOut()).toMatchObject({ hidden: 1, unheardSpecies: ['Parus mayor', 'Apus apus'] });
  });

  it('keeps all of a species without a threshold, whether it was labelled or not', () => {
    const filter = filterOf([['Parus major', null]]);
    expect([heard(0, 0.01), heard(0, 0, { scientificName: 'Apus apus' })].map((each) => filter.keeps(each))).toEqual([
      true,
      true,
    ]);
    expect(filter.leftOut()).toEqual({ rejected: 0, hidden: 0, belowThreshold: 0, unmatchedLabels: 0, unheardSpecies: [] });
  });
});
