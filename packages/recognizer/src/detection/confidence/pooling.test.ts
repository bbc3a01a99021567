import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fakeModel } from '../../testing/fake-model.ts';
import { evenRest, logMeanExp, poolToZ } from './pooling.ts';

const score = fc.double({ min: 0, max: 1, noNaN: true });

it('The score of equal clips left out of the evidence follows from the pooled score of a species and those of its other clips', () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 4 }), score, fc.integer({ min: 1, max: 6 }), (others, unknown, unknownCount) => {
      const known = Float64Array.from(others.map((other) => Math.max(other, unknown)));
      const pooled = logMeanExp(Float64Array.of(...known, ...Array.from({ length: 5 - known.length }, () => unknown)), 5);
      // However many clips there are, the five best are pooled.
      const clipCount = Math.max(5, known.length + unknownCount);
      expect(evenRest(known, clipCount, pooled, { alpha: 5, bestClips: 5 })).toBeCloseTo(unknown, 8);
    }),
  );
});

it('The pooled score of a species uses its best clips, in whatever order their scores come', () => {
  const { calibration } = fakeModel([['Parus major', 'bird']]).manifest;
  const [lowest, highest] = calibration.clipping.score;
  fc.assert(
    fc.property(fc.array(score, { minLength: 1, maxLength: 12 }), fc.array(score, { maxLength: 3 }), (scores, others) => {
      const best = Float64Array.from(scores.toSorted((one, other) => one - other).slice(-calibration.pooling.bestClips));
      const pooled = Math.min(Math.max(logMeanExp(best, calibration.pooling.alpha), lowest), highest);
      const z = poolToZ(Float64Array.of(...scores, ...others), scores.length, calibration);
      expect(z).toBeCloseTo(Math.log(pooled / (1 - pooled)), 9);
    }),
  );
});
