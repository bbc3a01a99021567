import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evidenceOf, fakeModel } from '../testing/fake-model.ts';
import { type ClipRun, createEarlyRunTracker, eachClipRun } from './clip-runs.ts';

const labels = 4;
const model = fakeModel(Array.from({ length: labels }, (_, index) => [`Avis ${index}`, 'bird'] as const));
const clips = fc.array(fc.array(fc.constantFrom(-9, -3, 0, 2), { minLength: labels, maxLength: labels }), { maxLength: 40 });
const steps = fc.constantFrom(1, 2, 3, 4, 6);

function track(
  rows: readonly (readonly number[])[],
  clipStepSamples: number,
  most = Number.POSITIVE_INFINITY,
): readonly ClipRun[] {
  const tracker = createEarlyRunTracker(-1, { ...model.manifest.audio, clipStepSamples }, most);
  rows.forEach((row, clip) => {
    row.forEach((logit, label) => {
      tracker.add(clip, label, logit);
    });
  });
  return tracker.best();
}

const inOrder = (runs: readonly ClipRun[]): ClipRun[] =>
  runs.toSorted((a, b) => a.firstClip - b.firstClip || b.peak - a.peak || a.label - b.label);

it('Runs of clips found in the finished evidence equal those gathered during the analysis', () => {
  fc.assert(
    fc.property(clips, steps, (rows, clipStepSamples) => {
      const evidence = { ...evidenceOf(model, rows), clipStepSamples };
      expect([...eachClipRun(evidence, -1, () => true)]).toEqual(inOrder(track(rows, clipStepSamples)));
    }),
  );
});

it('Runs of clips gathered during the analysis are limited in number, and the best are kept', () => {
  const rows = Array.from({ length: 3000 }, (_, clip) => (clip % 3 === 0 ? [clip % 7, 1, -9, -9] : [-9, -9, -9, -9]));
  expect(track(rows, 6)).toHaveLength(2000);
  expect(track(rows, 6, 50)).toHaveLength(50);
});
