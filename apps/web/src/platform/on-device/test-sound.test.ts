import { expect, it } from 'vitest';
import { heardRight } from './test-sound.ts';

it('The test of the model on this device accepts outputs near the expected ones, and refuses all others', () => {
  const expected = { 1: -4.5, 2: 3 };
  expect(heardRight(Float32Array.of(0, -4.4, 3.1), expected)).toBe(true);
  expect(heardRight(Float32Array.of(0, -4.4, 3.5), expected)).toBe(false);
  expect(heardRight(Float32Array.of(0, -4.4), expected)).toBe(false);
  expect(heardRight(Float32Array.of(Number.NaN, -4.5, 3), expected)).toBe(false);
  expect(heardRight(Float32Array.of(0, 0, 0), undefined)).toBe(true);
});
