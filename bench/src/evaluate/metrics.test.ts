import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationError, coverageAt, reliabilityAt, type ScoredAnswer, topShare } from './metrics.ts';

const named = (...pairs: [number, boolean][]): ScoredAnswer[] => pairs.map(([certainty, right]) => ({ certainty, right }));

it('The share of recordings whose species is among the first k treats a species that is no candidate as never found', () => {
  const ranks = [1, 2, 3, 4, null];
  expect([1, 3, 5].map((k) => topShare(ranks, k))).toEqual([0.2, 0.6, 0.8]);
  expect(topShare([], 1)).toBeNull();
});

it('The reliability at a confidence is the share of answers at or above it, and how many of those are right', () => {
  const answers = named([0.95, true], [0.9, false], [0.6, true], [0.2, false]);
  expect(reliabilityAt(answers, 0.9)).toEqual({ threshold: 0.9, named: 0.5, right: 0.5 });
  expect(reliabilityAt(answers, 0.99)).toEqual({ threshold: 0.99, named: 0, right: null });
});

describe('The calibration error of answers', () => {
  it('is the mean difference between confidence and share of right answers over ten bins, weighted by answers', () => {
    // Bin 0.9–1: mean 0.95, right 1/2, two answers. Bin 0.3–0.4: 0.35, right 0, one answer. Empty bins weigh nothing.
    expect(calibrationError(named([0.91, true], [0.99, false], [0.35, false]), 10)).toBeCloseTo((2 * 0.45 + 0.35) / 3, 12);
  });

  it('is 0 if the answers are right as often as their confidence says', () => {
    expect(calibrationError(named([0.75, true], [0.75, true], [0.75, true], [0.75, false]), 10)).toBeCloseTo(0, 12);
  });

  it('includes a confidence of 1 in its last bin', () => {
    expect(calibrationError(named([1, true]), 10)).toBe(0);
    expect(calibrationError([], 10)).toBeNull();
  });

  it('is between 0 and 1 for any answers', () => {
    const answer = fc.record({ certainty: fc.double({ min: 0, max: 1, noNaN: true }), right: fc.boolean() });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1 }), (answers) => {
        const error = calibrationError(answers, 10);
        return error !== null && error >= 0 && error <= 1;
      }),
    );
  });
});

describe('The coverage at a required precision', () => {
  it('ends with the last answer, in order of confidence, at which the precision still holds', () => {
    const answers = named([0.9, true], [0.8, false], [0.7, true], [0.6, true], [0.5, true], [0.4, false]);
    // right among the first 1…6: 1, .5, .67, .75, .8, .67
    expect(coverageAt(answers, 0.8)).toBeCloseTo(5 / 6, 12);
    expect(coverageAt(answers, 0.9)).toBeCloseTo(1 / 6, 12);
  });

  it('includes answers of equal confidence together or not at all', () => {
    expect(coverageAt(named([0.9, true], [0.9, false]), 0.9)).toBe(0);
    expect(coverageAt(named([0.9, false], [0.9, true], [0.9, true], [0.9, true]), 0.75)).toBe(1);
  });

  it('does not depend on the order of answers with equal confidence', () => {
    const answer = fc.record({ certainty: fc.integer({ min: 0, max: 5 }).map((n) => n / 5), right: fc.boolean() });
    fc.assert(fc.property(fc.array(answer), (answers) => coverageAt(answers, 0.8) === coverageAt([...answers].reverse(), 0.8)));
  });
});
