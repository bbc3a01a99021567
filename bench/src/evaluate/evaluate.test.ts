import { expect, it } from 'vitest';
import { type EvaluateInput, evaluate } from './evaluate.ts';
import { createFakeModel } from './fake-model-under-test.ts';
import type { TableRow } from './recordings-table.ts';

const bird = (file: string, scientificName: string, split = 'test'): TableRow => ({
  file,
  split,
  scientificName,
  group: 'bird',
  label: '',
  source: '',
});
const sound = (file: string, label: string): TableRow => ({
  file,
  split: 'test',
  scientificName: '',
  group: 'esc50',
  label,
  source: '',
});

const modelUnderTest = createFakeModel(
  {
    'tit.opus': { 'Parus major': { confidence: 0.95, score: 0.5 }, 'Ficedula albicollis': { confidence: 0.1, score: 0.6 } },
    'wren.opus': {
      'Parus major': { confidence: 0.6, withPlace: 0.2 },
      'Troglodytes troglodytes': { confidence: 0.3, withPlace: 0.8 },
    },
    'hawk.opus': { 'Accipiter cooperii': { confidence: 0.8, withPlace: 0 }, 'Parus major': { confidence: 0.1, withPlace: 0.92 } },
    'strange.opus': { 'Parus major': { confidence: 0.7 } },
    'rain.opus': { 'Parus major': { confidence: 0.55 }, 'Troglodytes troglodytes': { confidence: 0.5 } },
    'rooster.opus': { 'Parus major': { confidence: 0.99 } },
  },
  { 'Parus major': 0.5, 'Troglodytes troglodytes': 0.03 },
);
const rows = [
  bird('tit.opus', 'Parus major'),
  bird('wren.opus', 'Troglodytes troglodytes'),
  bird('hawk.opus', 'Astur cooperii'),
  bird('strange.opus', 'Nobis ignota'),
  sound('rain.opus', 'rain'),
  sound('rooster.opus', 'rooster'),
];
const input = (changes: Partial<EvaluateInput> = {}): EvaluateInput => ({
  options: { place: null, minOccurrence: 0.03 },
  rows,
  recordingsFolder: '/recordings',
  aliases: new Map([['Astur cooperii', 'Accipiter cooperii']]),
  modelUnderTest,
  atOnce: 2,
  signal: new AbortController().signal,
  onProgress: () => undefined,
  ...changes,
});

it('The evaluation of a model ranks known species by confidence and by score, species with a changed name included', async () => {
  const { splits } = await evaluate(input());
  expect(splits).toHaveLength(1);
  const { withoutPlace, unknown, withPlace } = splits[0] ?? expect.fail();
  expect(withoutPlace).toMatchObject({ recordings: 3, species: 3 });
  expect(withoutPlace.byConfidence.top1).toBeCloseTo(2 / 3);
  expect(withoutPlace.byScore.top1).toBeCloseTo(1 / 3);
  expect(withoutPlace.byConfidence.top3).toBe(1);
  expect(withoutPlace.reliability[1]).toEqual({ threshold: 0.5, named: 1, right: 2 / 3 });
  expect(unknown).toMatchObject({
    recordings: 1,
    named: [{ threshold: 0.5, share: 1 }, { threshold: 0.7, share: 1 }, { share: 0 }],
  });
  expect(withPlace).toBeNull();
});

it('The evaluation of a model at a place counts how often local birds come first, and how often recordings of other birds get a wrong name', async () => {
  const { splits } = await evaluate(
    input({ options: { place: { latitude: 50.8, longitude: 12.9, week: null }, minOccurrence: 0.03 } }),
  );
  const { withPlace } = splits[0] ?? expect.fail();
  // 0.03 as a float32 is slightly below 0.03; the wren must still count as local.
  expect(withPlace?.local).toMatchObject({ recordings: 2, byConfidence: { top1: 1 } });
  expect(withPlace?.fromElsewhere).toMatchObject({
    recordings: 1,
    named: [{ share: 1 }, { share: 1 }, { threshold: 0.9, share: 1 }],
  });
});

it('The evaluation of a model at a place does not count the right name of a rare visitor as wrong', async () => {
  const rare = createFakeModel({ 'tit.opus': { 'Parus major': { confidence: 0.95 } } }, { 'Parus major': 0.01 });
  const { splits } = await evaluate(
    input({
      rows: rows.slice(0, 1),
      modelUnderTest: rare,
      options: { place: { latitude: 0, longitude: 0, week: null }, minOccurrence: 0.03 },
    }),
  );
  expect(splits[0]?.withPlace?.fromElsewhere).toMatchObject({ recordings: 1, named: [{ share: 0 }, { share: 0 }, { share: 0 }] });
});

it('The evaluation of a model counts every bird named in bird-free recordings, and the number per hour', async () => {
  const { falseAlarms } = await evaluate(input());
  expect(falseAlarms).toEqual({
    recordings: 1,
    hours: 1,
    named: [
      { threshold: 0.5, birds: 2, perHour: 2 },
      { threshold: 0.9, birds: 0, perHour: 0 },
    ],
  });
});

it('The evaluation of a model continues after a missing recording, and reports only splits with a readable recording', async () => {
  const { splits, unreadable } = await evaluate(
    input({ rows: [bird('gone.opus', 'Parus major'), bird('tit.opus', 'Parus major', 'train')] }),
  );
  expect(splits.map(({ split }) => split)).toEqual(['train']);
  expect(unreadable).toMatchObject([{ file: 'gone.opus' }]);
});

it('The evaluation of a model stops when it is cancelled', async () => {
  const signal = AbortSignal.abort(new DOMException('cancelled', 'AbortError'));
  await expect(evaluate(input({ signal }))).rejects.toThrow('cancelled');
});
