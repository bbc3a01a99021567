import { bodyBytes, widenBody } from '@chiffchaff/recognizer';
import { expect, it } from 'vitest';
import { floatsOf } from './graph.ts';
import { shrinkBody } from './shrink-body.ts';
import { readTflite } from './tflite-reader.ts';
import { createTfliteWriter } from './tflite-writer.ts';

const kernels = Float32Array.of(0.1, -2.5, 2 ** -24, 65504, -0, 1 / 3);
const bias = Float32Array.of(0.1, 1 / 3);
const matrix = Float32Array.of(127, -63.4, 0.0254, 0.0127, 0, 0);

function body(): Uint8Array {
  const tflite = createTfliteWriter();
  const input = tflite.computed([1, 1, 1, 3]);
  const convolved = tflite.operator(3, [input, tflite.constant([2, 1, 1, 3], kernels), tflite.constant([2], bias)], [1, 1, 1, 2]);
  return tflite.finish([input], [tflite.operator(9, [convolved, tflite.constant([3, 2], matrix)], [1, 3])]);
}

it('The audio model for browsers, unpacked, has float16 kernels and a last layer in 8-bit steps, and is otherwise unchanged', () => {
  const before = body();
  const { parts, weights } = shrinkBody(before);
  const after = new Uint8Array(bodyBytes(parts));
  widenBody(parts, new Uint8Array(Buffer.concat(weights)), after);
  const [convolution, head] = readTflite(after).operators;
  const constantsOf = (inputs: typeof convolution) => inputs?.inputs.slice(1).map((tensor) => [...floatsOf(tensor)]) ?? [];
  expect(constantsOf(convolution)).toEqual([[...new Float16Array(kernels)], [...bias]]);
  const step = Math.fround(0.0254 / 127);
  expect(constantsOf(head)).toEqual([[127, -63, Math.fround(127 * step), Math.fround(64 * step), 0, 0]]);
  expect(after.byteLength).toBe(before.byteLength);
  // Both are views of a file, so what differs is nothing but the numbers of the two.
  const differing = [...after].filter((byte, index) => byte !== before[index]).length;
  expect(differing).toBeLessThan(4 * (kernels.length + matrix.length));
});
