import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeEvidence, evidenceOf, fakeModel } from '../../testing/fake-model.ts';
import { logOdds } from '../activation.ts';
import { conclude } from '../conclude.ts';
import { workOutConfidences } from '../confidence/confidence.ts';
import { locationAdjustment } from '../occurrence.ts';
import { type EvidenceDetail, evidenceDetail } from './evidence-collector.ts';

const birdCount = 12;
const model = fakeModel([
  ...Array.from({ length: birdCount }, (_, index) => [`Avis ${index}`, 'bird'] as const),
  ['Engine', 'nonEvent'] as const,
]);
const { calibration } = model.manifest;

/** Distributed like the model's logits: mostly low, occasionally high. */
const logit = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -16, max: -7, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: -7, max: 6, noNaN: true }) },
);
const recordings = fc.array(fc.array(logit, { minLength: birdCount + 1, maxLength: birdCount + 1 }), {
  minLength: 1,
  maxLength: 14,
});
const occurrences = fc
  .array(fc.constantFrom(0, 0.001, 0.0025, 0.02, 0.5), { minLength: birdCount + 1, maxLength: birdCount + 1 })
  .map((values) => Float32Array.from(values));

/**
 * Whether two birds are practically tied for first in a passage. With a place, the gap is measured from z of the first, and the two
 * may have very different z: rounding decides there, as the slightest noise does with complete evidence.
 */
function isFirstTied(clips: readonly number[][]): boolean {
  const evidence = evidenceOf(model, clips, completeEvidence);
  const confidences = workOutConfidences(evidence, calibration, null, 0);
  return [...evidence.passages.firstClips.keys()].some((passage) => {
    const sums = Array.from({ length: birdCount }, (_, label) => logOdds(confidences.inPassage(passage, label)));
    const [first = 0, second = 0] = sums.sort((a, b) => b - a);
    // Rounding moves each of the sums by 0.0009 at most.
    return first - second < 0.002;
  });
}

describe('Evidence collected during an analysis', () => {
  it('gives the same confidences as complete evidence although faint clips are left out', () => {
    fc.assert(
      fc.property(recordings, fc.option(occurrences), (clips, occurrence) => {
        fc.pre(occurrence === null || !isFirstTied(clips));
        const confidencesOf = (detail: EvidenceDetail) =>
          conclude(model, evidenceOf(model, clips, detail), { occurrence, top: birdCount }).candidates;
        const complete = confidencesOf(completeEvidence);
        const all = confidencesOf(evidenceDetail);
        expect(all).not.toEqual([]);
        for (const sparse of all) {
          const exact = complete.find((candidate) => candidate.label === sparse.label);
          expect(Math.abs(sparse.confidence - (exact?.confidence ?? -1))).toBeLessThan(0.001);
          expect(Math.abs(sparse.score - (exact?.score ?? -1))).toBeLessThan(0.001);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same first bird of each passage although unlikely labels are not examined closely', () => {
    fc.assert(
      fc.property(recordings, occurrences, (clips, occurrence) => {
        const evidence = evidenceOf(model, clips);
        const adjustmentOf = (label: number) => locationAdjustment(occurrence[label] ?? null, calibration.occurrence);
        const [all, clear] = [0, 0.3].map((minConfidence) => {
          const withoutPlace = workOutConfidences(evidence, calibration, null, minConfidence);
          return { withoutPlace, here: workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, minConfidence) };
        });
        expect(clear?.withoutPlace.firstZ).toEqual(all?.withoutPlace.firstZ);
        for (const [label, confidence] of (all?.here.best ?? new Float64Array(0)).entries()) {
          expect(clear?.here.best[label]).toBe(confidence >= 0.3 ? confidence : 0);
        }
      }),
    );
  });

  it('keeps all birds in the passages of a short recording, and fewer in those of a long recording', () => {
    const many = fakeModel([
      ...Array.from({ length: 3000 }, (_, index) => [`Avis ${index}`, 'bird'] as const),
      ['Engine', 'nonEvent'] as const,
    ]);
    const clip = Array.from({ length: 3001 }, (_, label) => -9 - label / 300);
    const evidence = evidenceOf(
      many,
      Array.from({ length: 300 }, () => clip),
    );
    const keptIn = (passage: number) => (evidence.passages.offsets[passage + 1] ?? 0) - (evidence.passages.offsets[passage] ?? 0);
    expect(keptIn(0)).toBe(3000);
    expect(evidence.passages.meanFloors[0]).toBe(Number.NEGATIVE_INFINITY);
    expect(keptIn(4)).toBeGreaterThanOrEqual(1600);
    expect(keptIn(4)).toBeLessThan(1700);
    expect(keptIn(140)).toBeGreaterThanOrEqual(400);
    expect(keptIn(140)).toBeLessThan(500);
    expect(evidence.passages.restWeights[140]).toBeGreaterThan(evidence.passages.restWeights[4] ?? 1);
    expect(evidence.clips.labels).toHaveLength(0);
  });
});
