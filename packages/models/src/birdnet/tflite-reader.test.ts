import { expect, it } from 'vitest';
import { floatsOf, integersOf, scalarOf } from './graph.ts';
import { readTflite } from './tflite-reader.ts';
import { createTfliteWriter } from './tflite-writer.ts';

function small(): Uint8Array {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 3], 'samples');
  const weights = tiny.constant([2, 3], Float32Array.of(1, 2, 3, -4, 5.5, 6), 'weights');
  return tiny.finish([input], [tiny.operator(9, [input, weights, -1], [1, 2], [{ int8: 1 }])]);
}

it('The reader of TFLite files (`readTflite`) reads tensors, operators and options as they were written', () => {
  const graph = readTflite(small());
  const [operator] = graph.operators;
  expect(graph.inputs.map(({ name, shape, type }) => ({ name, shape, type }))).toEqual([
    { name: 'samples', shape: [1, 3], type: 'float32' },
  ]);
  expect(operator?.kind).toBe('FULLY_CONNECTED');
  expect(operator?.options?.int8(0)).toBe(1);
  // An omitted input is not a tensor.
  expect(operator?.inputs.map(({ name }) => name)).toEqual(['samples', 'weights']);
  expect(operator?.outputs).toEqual(graph.outputs);
});

it('The reader of TFLite files (`readTflite`) reads constants of float32, float16 and int32 as numbers', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1]);
  const constants = [
    tiny.constant([3], Float32Array.of(0.1, -2, 3e9)),
    tiny.constant([5], Float16Array.of(1, -2.5, 2 ** -24, 65504, -0)),
    tiny.constant([2], Int32Array.of(-7, 2_000_000_000)),
    tiny.constant([], Int32Array.of(48)),
  ];
  const graph = readTflite(tiny.finish([input], [tiny.operator(2, [input, ...constants], [1])]));
  const [, singles, halves, integers, scalar] = graph.operators[0]?.inputs ?? [];
  if (!singles || !halves || !integers || !scalar) throw new Error('a constant was not read');
  expect([...floatsOf(singles)]).toEqual([Math.fround(0.1), -2, 3e9]);
  expect([...floatsOf(halves)]).toEqual([1, -2.5, 2 ** -24, 65504, -0]);
  expect([...integersOf(integers)]).toEqual([-7, 2_000_000_000]);
  expect(scalarOf(scalar)).toBe(48);
});

it('The reader of TFLite files (`readTflite`) reads weights wherever the file begins in memory', () => {
  const file = small();
  for (const shift of [1, 2, 3, 4]) {
    const shifted = new Uint8Array(new ArrayBuffer(file.byteLength + shift), shift);
    shifted.set(file);
    const weights = readTflite(shifted).operators[0]?.inputs[1];
    expect(weights && [...floatsOf(weights)]).toEqual([1, 2, 3, -4, 5.5, 6]);
  }
});

it('The reader of TFLite files (`readTflite`) recognises newer operators by the wide code field', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 4]);
  const graph = readTflite(tiny.finish([input], [tiny.operator(131, [input], [1, 3])]));
  expect(graph.operators[0]?.kind).toBe('RFFT2D');
});
