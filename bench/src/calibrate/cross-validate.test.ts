import { InputError } from '@chiffchaff/cli';
import { describe, expect, it } from 'vitest';
import { claimsOf, type Sighting, type Trial } from './claims.ts';
import { claimsOutOfFold, fitConfidence } from './cross-validate.ts';

const options = { claims: 1, penalty: 0.01, rounds: 3 };
const sighting = (label: number, z: number, right: boolean, score = 0): Sighting => ({
  label,
  inputs: [z, 0, 0, 0],
  right,
  score,
});
const trial = (fold: number, ...sightings: Sighting[]): Trial => ({ sightings, weight: 1, fold });
const byZ = { z: 1, meanMargin: 0, maxMargin: 0, nonBird: 0, gap: 0, bias: 0 };

describe('The species claimed in a test recording (`claimsOf`)', () => {
  it('are ranked by the confidence of their best passage, and by score if that is equal', () => {
    const claims = claimsOf(
      trial(0, sighting(1, 0, false), sighting(1, 2, false), sighting(2, 1, true, 0.2), sighting(3, 1, false, 0.6)),
      byZ,
      3,
    );
    expect(claims.map(({ label, confidence }) => [label, Number(confidence.toFixed(4))])).toEqual([
      [1, 0.8808],
      [3, 0.7311],
      [2, 0.7311],
    ]);
  });
});

describe('Fitting coefficients of the confidence (`fitConfidence`)', () => {
  it('gives the first claimed species the confidence of how often it is right, and ignores further claims', () => {
    // At z = 2 three of four first claims are right; the second claims are all wrong and must not count.
    const trials = [true, true, true, false].map((right) => trial(0, sighting(1, 2, right), sighting(2, -2, false)));
    const [claim] = claimsOf(trials[0] ?? expect.fail(), fitConfidence(trials, { ...options, penalty: 1e-6 }), 1);
    expect(claim?.confidence).toBeCloseTo(0.75, 3);
  });

  it('counts a recording of weight 9 as nine recordings', () => {
    const heavy = [{ ...trial(0, sighting(1, 2, true)), weight: 9 }, trial(0, sighting(1, 2, false))];
    const [claim] = claimsOf(heavy[0] ?? expect.fail(), fitConfidence(heavy, { ...options, penalty: 1e-6 }), 1);
    expect(claim?.confidence).toBeCloseTo(0.9, 3);
  });
});

describe('Cross-validation of the coefficients (`claimsOutOfFold`)', () => {
  it('judges the recordings of a fold by coefficients fitted to the other folds alone', () => {
    // Everything is right in fold 0 and wrong in fold 1: a fit that has seen its own fold would reflect that.
    const trials = [0, 1].flatMap((fold) => Array.from({ length: 20 }, (_, i) => trial(fold, sighting(1, i / 10, fold === 0))));
    const claims = claimsOutOfFold(trials, options, 1).map(([first]) => first?.confidence ?? Number.NaN);
    expect(Math.max(...claims.slice(0, 20))).toBeLessThan(0.1);
    expect(Math.min(...claims.slice(20))).toBeGreaterThan(0.9);
  });
});

it('Cross-validation refuses recordings that are too few or too much alike to be divided into folds', () => {
  const alone = trial(3, sighting(0, 1, true));
  expect(() => claimsOutOfFold([alone], options, 1)).toThrow(InputError);
  expect(() => claimsOutOfFold([alone], options, 1)).toThrow('too few or too much alike');
});
