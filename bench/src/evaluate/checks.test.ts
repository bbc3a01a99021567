import { expect, it } from 'vitest';
import { sampleEvidence } from '../calibrate/testing/sample-evidence.ts';
import { workOutChecks } from './checks.ts';
import { createFakeModel } from './fake-model-under-test.ts';

const birds = { Tit: { confidence: 0.9 }, Robin: { confidence: 0.8 }, Penguin: { confidence: 0.6 }, Auk: { confidence: 0.4 } };
const row = { file: 'a', split: 'test', scientificName: 'Tit', group: 'bird', label: '', source: '' };

it('The evaluation of a model counts birds named in a recording of a bird with which they share no town', async () => {
  const model = createFakeModel({ a: birds });
  const label = (name: string) => model.birds.get(name) ?? -1;
  const townOf = (likely: Readonly<Record<string, number>>) => {
    const occurrence = new Float32Array(model.birds.size);
    for (const [name, value] of Object.entries(likely)) occurrence[label(name)] = value;
    return { population: 1, occurrence };
  };
  const towns = [townOf({ Tit: 0.5, Robin: 0.03, Penguin: 0.01 }), townOf({ Penguin: 0.5 })];
  const zones = async () => [{ name: 'made up', population: 1, occurrence: new Float32Array(model.birds.size), towns }];
  const evidence = await model.analyzeFile('a', new AbortController().signal);
  const { impossibleCompanions } = await workOutChecks([{ row, scientificName: 'Tit', evidence }], { ...model, zones });
  // The auk occurs nowhere, but is not named.
  expect(impossibleCompanions).toEqual([
    { from: 0.5, birds: 1 },
    { from: 0.7, birds: 0 },
    { from: 0.9, birds: 0 },
  ]);
});

it('The evaluation of a model counts birds named in both halves of the passages, and birds named in either half', async () => {
  const heard = sampleEvidence([
    [9, -9],
    [9, 9],
    [9, -9],
  ]);
  const model = createFakeModel({ a: { Auk: { confidence: 0.9 }, Penguin: { confidence: 0.9 } } });
  const { halves } = await workOutChecks([{ row, scientificName: 'Auk', evidence: heard }], {
    ...model,
    // Names the birds whose logit is above 0 in a passage.
    conclude: (evidence) => {
      const answer = model.conclude(evidence, { occurrence: null });
      const labels = [...evidence.passages.labels].filter((_, at) => (evidence.passages.means[at] ?? 0) > 0);
      return { ...answer, candidates: answer.candidates.filter(({ label }) => labels.includes(label)) };
    },
  });
  expect(halves).toEqual({ both: 1, either: 2 });
});
