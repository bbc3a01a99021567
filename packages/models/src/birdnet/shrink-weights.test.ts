import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { createNumbers, createTinyWeights, tinySizes, writeTinyBirdnet } from '../testing/tiny-birdnet.ts';
import { convertAudioModel } from './convert-audio.ts';
import { encodeOnnx, type OnnxModel } from './onnx-writer.ts';
import { shrinkWeights } from './shrink-weights.ts';
import { readTflite } from './tflite-reader.ts';

const full = convertAudioModel(readTflite(writeTinyBirdnet(createTinyWeights())), 'fast');
const small = shrinkWeights(full);

async function logitsOf(model: OnnxModel): Promise<number[]> {
  const session = await InferenceSession.create(Buffer.concat(encodeOnnx(model).graph), { graphOptimizationLevel: 'all' });
  const samples = createNumbers(11)(tinySizes.samples);
  const { logits } = await session.run({ samples: new Tensor('float32', samples, [1, samples.length]) });
  return [...(logits?.data ?? [])].map(Number);
}

it('Shrinking the weights of a model for browsers changes its logits by less than 0.05', async () => {
  const [expected, found] = [await logitsOf(full), await logitsOf(small)];
  const differences = expected.map((logit, index) => Math.abs(logit - (found[index] ?? Number.NaN)));
  expect(Math.max(...differences)).toBeLessThan(0.05);
  expect(Math.max(...differences)).toBeGreaterThan(0);
});

it('Shrinking the weights of a model for browsers stores kernels as float16, and leaves the spectrogram layers and biases unchanged', () => {
  const typesOf = (model: OnnxModel) => new Map(model.tensors.map(({ name, data }) => [name, data.constructor.name]));
  const [before, after] = [typesOf(full), typesOf(small)];
  for (const name of before.keys()) {
    if (name.startsWith('kernels_')) expect(after.get(`${name}_halves`)).toBe('Float16Array');
    else if (name === 'head_weights') expect(after.get(`${name}_steps`)).toBe('Int8Array');
    else expect(after.get(name)).toBe(before.get(name));
  }
  expect([...before.keys()].filter((name) => name.startsWith('kernels_')).length).toBeGreaterThan(3);
});

it('Shrinking the weights of a model for browsers rounds each row of the last layer to steps of its own', () => {
  const tensors = [{ name: 'matrix', dims: [3, 2], data: Float32Array.of(127, -63.4, 0.0254, 0.0127, 0, 0) }];
  const nodes = [{ kind: 'Gemm', inputs: ['in', 'matrix', 'bias'], outputs: ['out'], attributes: {} }];
  const found = shrinkWeights({ name: 'm', inputs: [], outputs: [], nodes, tensors, metadata: {} });
  const [steps, scales] = found.tensors;
  expect(steps).toEqual({ name: 'matrix_steps', dims: [3, 2], data: Int8Array.of(127, -63, 127, 64, 0, 0) });
  expect(scales?.dims).toEqual([3, 1]);
  expect([...(scales?.data ?? [])].map(Number)).toEqual([1, Math.fround(0.0002), 1].map((value) => expect.closeTo(value, 8)));
  expect(found.nodes.map(({ kind, outputs }) => [kind, ...outputs])).toEqual([
    ['Cast', 'matrix_widened'],
    ['Mul', 'matrix'],
    ['Gemm', 'out'],
  ]);
});
