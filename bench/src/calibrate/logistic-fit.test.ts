import { describe, expect, it } from 'vitest';
import { chanceOf, fitLogistic, type LogisticRow, logLoss } from './logistic-fit.ts';

/** Reproducible pseudorandom numbers from 0 to 1 (a linear congruential generator). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

describe('Logistic regression (`fitLogistic`)', () => {
  it('without inputs finds the log-odds of the share of right rows', () => {
    const rows = [true, true, true, false].map((right): LogisticRow => ({ inputs: [], right, weight: 1 }));
    expect(fitLogistic(rows, 1)[0]).toBeCloseTo(Math.log(3), 8);
  });

  it('finds the coefficients that a table of two by two gives', () => {
    // Input 0: 1 of 4 right; input 1: 8 of 10 right.
    const rows: LogisticRow[] = [
      { inputs: [0], right: true, weight: 1 },
      { inputs: [0], right: false, weight: 3 },
      { inputs: [1], right: true, weight: 8 },
      { inputs: [1], right: false, weight: 2 },
    ];
    const [slope = 0, bias = 0] = fitLogistic(rows, 0);
    expect(bias).toBeCloseTo(Math.log(1 / 3), 6);
    expect(slope + bias).toBeCloseTo(Math.log(4), 6);
  });

  it('recovers the coefficients from which sample rows were drawn', () => {
    const dice = createDice(5);
    const known = [0.4, 0.3, -0.4, -1];
    const rows = Array.from({ length: 20_000 }, (): LogisticRow => {
      const inputs = [dice() * 16 - 8, dice() * 10 - 3, dice() * 10 - 8];
      return { inputs, right: dice() < chanceOf(known, inputs), weight: 1 };
    });
    const fitted = fitLogistic(rows, 1);
    for (const [i, coefficient] of known.entries()) expect(Math.abs((fitted[i] ?? 9) - coefficient)).toBeLessThan(0.06);
  });

  it('gives finite coefficients for perfectly separated rows, nearer to 0 the higher the penalty', () => {
    const rows: LogisticRow[] = [-2, -1, 1, 2].map((x) => ({ inputs: [x], right: x > 0, weight: 1 }));
    const [light = 0] = fitLogistic(rows, 0.1);
    const [heavy = 0] = fitLogistic(rows, 10);
    expect(light).toBeGreaterThan(heavy);
    expect(heavy).toBeGreaterThan(0);
    // Where the derivative of loss and penalty is 0: Σ|x|·σ(−β|x|)·… = λβ.
    const slope = rows.reduce((sum, { inputs: [x = 0], right }) => sum + x * ((right ? 1 : 0) - chanceOf([light, 0], [x])), 0);
    expect(slope).toBeCloseTo(0.1 * light, 6);
  });

  it('counts a row of weight 2 as two rows', () => {
    const row = (x: number, right: boolean, weight = 1): LogisticRow => ({ inputs: [x], right, weight });
    const twice = fitLogistic([row(0, false), row(1, true), row(1, true), row(2, false), row(3, true)], 0.5);
    const heavy = fitLogistic([row(0, false), row(1, true, 2), row(2, false), row(3, true)], 0.5);
    for (const [i, coefficient] of twice.entries()) expect(heavy[i]).toBeCloseTo(coefficient, 8);
  });

  it('refuses an empty list of rows, and rows of unequal length', () => {
    expect(() => fitLogistic([], 1)).toThrow(RangeError);
    const ragged = [1, 2].map((length): LogisticRow => ({ inputs: new Array(length).fill(1), right: true, weight: 1 }));
    expect(() => fitLogistic(ragged, 1)).toThrow('rows of unequal length');
  });
});

it('The log loss of claimed species is the weighted mean of −ln of the chance given to what was true', () => {
  const claims = [
    { chance: 0.5, right: true, weight: 3 },
    { chance: 0.2, right: false, weight: 1 },
  ];
  expect(logLoss(claims)).toBeCloseTo((3 * Math.log(2) + Math.log(1 / 0.8)) / 4, 12);
});
