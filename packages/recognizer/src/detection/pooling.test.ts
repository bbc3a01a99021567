import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evenRest, logMeanExp } from './pooling.ts';

const score = fc.double({ min: 0, max: 1, noNaN: true });

it('finds the score of clips that are not known from what all are pooled to', () => {
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
