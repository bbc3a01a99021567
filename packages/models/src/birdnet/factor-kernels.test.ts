import { expect, it } from 'vitest';
import { createNumbers } from '../testing/tiny-birdnet.ts';
import { type FactoredKernels, factorKernels } from './factor-kernels.ts';

const [bands, length, piece] = [6, 100, 16];

/** Windowed waves of low frequency and very different strengths. */
const narrow = Float32Array.from({ length: bands * length }, (_, index) => {
  const [band, n] = [Math.floor(index / length), index % length];
  const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length);
  return 10 ** (band - 3) * window * Math.cos((2 * Math.PI * n * band) / length);
});

const rebuild = ({ waves, mix, count, parts }: FactoredKernels): number[] =>
  Array.from({ length: bands * length }, (_, index) => {
    const [band, n] = [Math.floor(index / length), index % length];
    let sum = 0;
    for (let c = 0; c < count; c++) {
      sum += (mix[(band * count + c) * parts + Math.floor(n / piece)] ?? 0) * (waves[c * piece + (n % piece)] ?? 0);
    }
    return sum;
  });

it('Factoring the model’s kernels into basis waves needs few waves for a narrow frequency range, and rebuilds weak kernels too', () => {
  const factored = factorKernels(narrow, bands, piece);
  expect(factored.parts).toBe(7);
  expect(factored.count).toBeLessThan(12);
  const rebuilt = rebuild(factored);
  for (const [index, value] of narrow.entries()) {
    const strength = 10 ** (Math.floor(index / length) - 3);
    expect(Math.abs((rebuilt[index] ?? Number.NaN) - value) / strength).toBeLessThan(1e-5);
  }
});

it('Factoring the model’s kernels into basis waves returns orthonormal waves', () => {
  const { waves, count } = factorKernels(narrow, bands, piece);
  const wave = (index: number): number[] => [...waves.subarray(index * piece, (index + 1) * piece)];
  for (let first = 0; first < count; first++) {
    for (let second = 0; second < count; second++) {
      const product = wave(first).reduce((sum, value, n) => sum + value * (wave(second)[n] ?? 0), 0);
      expect(product).toBeCloseTo(first === second ? 1 : 0, 6);
    }
  }
});

it('Factoring the model’s kernels into basis waves needs as many waves as a piece has samples if the kernels cover every frequency', () => {
  expect(factorKernels(createNumbers(2)(bands * length), bands, piece).count).toBe(piece);
});

it('Factoring the model’s kernels into basis waves needs no wave for a kernel of zeros, and rebuilds the other kernels unchanged', () => {
  const silent = narrow.slice().fill(0, 0, length);
  const rebuilt = rebuild(factorKernels(silent, bands, piece));
  expect(rebuilt.slice(0, length).every((value) => value === 0)).toBe(true);
  expect(factorKernels(new Float32Array(bands * length), bands, piece).count).toBe(0);
});
