import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFourierTransform } from './fourier.ts';

/** Computes the power spectrum directly from its definition. */
function powerByDefinition(frame: Float32Array, size: number): number[] {
  return Array.from({ length: size / 2 + 1 }, (_, k) => {
    let re = 0;
    let im = 0;
    for (const [n, sample] of frame.entries()) {
      re += sample * Math.cos((2 * Math.PI * k * n) / size);
      im -= sample * Math.sin((2 * Math.PI * k * n) / size);
    }
    return re * re + im * im;
  });
}

describe('The Fourier transform', () => {
  it('equals the sum that defines it, for both frames that are computed together', () => {
    const samples = fc.float32Array({ minLength: 1, maxLength: 64, noNaN: true, min: -1, max: 1 });
    fc.assert(
      fc.property(samples, samples, (first, second) => {
        const transform = createFourierTransform(64);
        const powers = [new Float32Array(transform.bins), new Float32Array(transform.bins)] as const;
        transform.powerOfPair(first, second, ...powers);
        for (const [index, frame] of [first, second].entries())
          for (const [bin, expected] of powerByDefinition(frame, 64).entries())
            expect(Math.abs((powers[index]?.[bin] ?? Number.NaN) - expected)).toBeLessThan(1e-3);
      }),
      { numRuns: 60 },
    );
  });

  it.each([0, 1, 3, 100])('refuses a length of %i points', (size) => {
    expect(() => createFourierTransform(size)).toThrow(RangeError);
  });
});
