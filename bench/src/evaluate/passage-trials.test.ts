import { expect, it } from 'vitest';
import { analyzeRows } from './evaluate.ts';
import { createFakeModel } from './fake-model-under-test.ts';
import { tryPassages } from './passage-trials.ts';
import type { TableRow } from './recordings-table.ts';

const row = (file: string, scientificName: string, group = 'bird'): TableRow => ({
  file,
  split: 'test',
  scientificName,
  group,
  label: '',
  source: '',
});

it('The trials of `evaluate --passages` put surely recognised birds into minutes of background, and two such birds in a row', async () => {
  const modelUnderTest = createFakeModel({
    'hush.opus': { 'Parus major': { confidence: 0.01 } },
    'tit.opus': { 'Parus major': { confidence: 0.97 } },
    'unsure.opus': { 'Parus major': { confidence: 0.4 } },
    'wren.opus': { 'Troglodytes troglodytes': { confidence: 0.96 } },
  });
  const rows = [
    row('hush.opus', '', 'background'),
    row('tit.opus', 'Parus major'),
    row('unsure.opus', 'Parus major'),
    row('wren.opus', 'Troglodytes troglodytes'),
  ];
  const base = { recordingsFolder: '/', modelUnderTest, atOnce: 1, signal: new AbortController().signal };
  const { analysed } = await analyzeRows({
    ...base,
    options: { place: null, minOccurrence: 0 },
    rows,
    aliases: new Map(),
    onProgress: () => undefined,
  });
  const trials = await tryPassages({ ...base, analysed, sample: 10, onProgress: () => undefined });

  expect(trials.inBackground).toMatchObject({ trials: 2, kept: 1, backgroundSeconds: 600 });
  const [inBackground, , pair] = modelUnderTest.analyzedPieces;
  expect(inBackground?.reduce((sum, { length }) => sum + length, 0)).toBe(601 * modelUnderTest.sampleRate);
  // The fake model detects only the loudest recording, so the first bird of the pair is lost.
  expect(pair?.map((piece) => piece[0])).toEqual([1, 3]);
  expect(trials.oneAfterAnother).toMatchObject({ trials: 1, kept: 0 });
});
