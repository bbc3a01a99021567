import { expect, it } from 'vitest';
import { densePlaces, outputSize, rearrangeDepthwiseKernels, rearrangeKernels, samePadding, spreadChannels } from './layers.ts';

it('The padding called “same” adds the odd row or column at the end in the converted model', () => {
  // BirdNET's first convolution: 4 × 8 with stride 2 over 96 × 511.
  expect(samePadding(96, 4, 2)).toEqual({ begin: 1, end: 1 });
  expect(samePadding(511, 8, 2)).toEqual({ begin: 3, end: 4 });
  expect(outputSize(511, 8, 2, samePadding(511, 8, 2))).toBe(256);
  expect(samePadding(6, 1, 2)).toEqual({ begin: 0, end: 0 });
});

it('The kernels of a converted model change from (output, height, width, input) to (output, input, height, width)', () => {
  // Each number encodes its position: output, row, column, input.
  const numbers = [0, 1].flatMap((o) =>
    [0, 1].flatMap((h) => [0, 1, 2].flatMap((w) => [0, 1].map((i) => o * 1000 + h * 100 + w * 10 + i))),
  );
  const rearranged = rearrangeKernels(Float32Array.from(numbers), [2, 2, 3, 2]);
  const expected = [0, 1].flatMap((o) =>
    [0, 1].flatMap((i) => [0, 1].flatMap((h) => [0, 1, 2].map((w) => o * 1000 + h * 100 + w * 10 + i))),
  );
  expect([...rearranged]).toEqual(expected);
});

it('The depthwise kernels of a converted model have one input channel and many output channels', () => {
  const numbers = Float32Array.of(1, 10, 2, 20, 3, 30, 4, 40);
  expect([...rearrangeDepthwiseKernels(numbers, 2, 2, 2)]).toEqual([1, 2, 3, 4, 10, 20, 30, 40]);
});

it('The kernels and biases of a converted model are zero in channels that the conversion inserts', () => {
  const output = { places: [0, 2], total: 3 };
  const input = { places: [1, 2], total: 4 };
  expect([...rearrangeKernels(Float32Array.of(1, 2, 3, 4), [2, 1, 1, 2], output, input)]).toEqual([
    0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0,
  ]);
  expect([...spreadChannels(Float32Array.of(5, 6), output)]).toEqual([5, 0, 6]);
  expect([...spreadChannels(Float32Array.of(5, 6), densePlaces(2))]).toEqual([5, 6]);
});
