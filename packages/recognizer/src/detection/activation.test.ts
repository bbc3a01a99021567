import { describe, expect, it } from 'vitest';
import { sigmoid, writeLogits } from './activation.ts';

function scoresOf(activation: 'sigmoid' | 'softmax' | 'none', outputs: readonly number[]): number[] {
  const logits = new Float32Array(outputs.length);
  writeLogits(activation, Float32Array.from(outputs), logits);
  return [...logits].map(sigmoid);
}

describe('The activation of a model', () => {
  it('leaves logits unchanged for a sigmoid', () => {
    const logits = new Float32Array(2);
    writeLogits('sigmoid', Float32Array.of(-3.5, 2), logits);
    expect([...logits]).toEqual([-3.5, 2]);
  });

  it('turns scores that a graph outputs into logits and back into the same scores', () => {
    const [low, middle, high] = scoresOf('none', [0, 0.25, 1]);
    expect(middle).toBeCloseTo(0.25, 6);
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(1e-6);
    expect(high).toBeGreaterThan(1 - 1e-6);
  });

  it('makes the scores of a softmax add up to one, however large its outputs are', () => {
    const scores = scoresOf('softmax', [1000, 1000, 1000 + Math.log(2)]);
    expect(scores[0]).toBeCloseTo(0.25, 4);
    expect(scores[2]).toBeCloseTo(0.5, 4);
  });
});
