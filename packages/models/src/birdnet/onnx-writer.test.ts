import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOnnxGraph } from './onnx-graph.ts';
import { encodeOnnx, type OnnxModel } from './onnx-writer.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onnx-writer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const size = 160;
const weights = Float32Array.from({ length: size * size }, (_, index) => (index % size === Math.floor(index / size) ? 2 : 0));

/** x → relu(2·x) − 1, through both kinds of attribute. */
function doubling(): OnnxModel {
  const onnx = createOnnxGraph();
  const matrix = onnx.floats('weights', [size, size], () => weights);
  const one = onnx.floats('one', [], () => Float32Array.of(1));
  const doubled = onnx.node('Gemm', ['x', matrix], { transB: 1 });
  const positive = onnx.node('Relu', [doubled]);
  const deep = onnx.node('Unsqueeze', [positive, onnx.integers([-1])]);
  const flat = onnx.node('Transpose', [deep], { perm: [0, 2, 1] });
  const squeezed = onnx.node('Squeeze', [flat, onnx.integers([1])]);
  onnx.node('Sub', [squeezed, one], {}, 'y');
  return {
    name: 'doubling',
    inputs: [{ name: 'x', dims: ['batch', size] }],
    outputs: [{ name: 'y', dims: ['batch', size] }],
    nodes: onnx.nodes,
    tensors: onnx.tensors,
    metadata: { licence: 'MIT' },
  };
}

async function run(session: InferenceSession): Promise<number[]> {
  const input = Float32Array.from({ length: size }, (_, index) => index - 80);
  const { y } = await session.run({ x: new Tensor('float32', input, [1, size]) });
  return [...(y?.data ?? [])].map(Number);
}

const expected = Array.from({ length: size }, (_, index) => Math.max(0, 2 * (index - 80)) - 1);

it('The writer of ONNX files (`encodeOnnx`) writes a graph that ONNX Runtime loads and computes', async () => {
  const session = await InferenceSession.create(Buffer.concat(encodeOnnx(doubling()).graph));
  expect(session.inputNames).toEqual(['x']);
  expect(session.outputNames).toEqual(['y']);
  expect(await run(session)).toEqual(expected);
});

it('The writer of ONNX files (`encodeOnnx`) writes large weights to a separate file, where ONNX Runtime finds them', async () => {
  const { graph, weights: pieces } = encodeOnnx(doubling(), 'doubling.data');
  expect(Buffer.concat(graph).byteLength).toBeLessThan(2000);
  expect(Buffer.concat(pieces).byteLength).toBe(weights.byteLength);
  await writeFile(join(folder, 'doubling.onnx'), Buffer.concat(graph));
  await writeFile(join(folder, 'doubling.data'), Buffer.concat(pieces));
  expect(await run(await InferenceSession.create(join(folder, 'doubling.onnx')))).toEqual(expected);
});

it('The writer of ONNX files (`encodeOnnx`) aligns each weight in the separate file so that it can be memory-mapped', () => {
  const model = doubling();
  const twice = {
    ...model,
    tensors: [...model.tensors, { name: 'more', dims: [30_000], data: new Float32Array(30_000).fill(3) }],
  };
  const bytes = Buffer.concat(encodeOnnx(twice, 'data').weights);
  const second = Math.ceil(weights.byteLength / 65_536) * 65_536;
  expect(bytes.byteLength).toBe(second + 120_000);
  expect(bytes.readFloatLE(second)).toBe(3);
});

it('The writer of ONNX files (`encodeOnnx`) passes weights on without copying them', () => {
  const { graph } = encodeOnnx(doubling());
  expect(graph.some((piece) => piece.buffer === weights.buffer)).toBe(true);
});

it('The writer of ONNX files (`encodeOnnx`) throws if a tensor’s numbers do not fill its dimensions', () => {
  const model = doubling();
  const wrong = { ...model, tensors: [{ name: 'wrong', dims: [3], data: new Float32Array(2) }] };
  expect(() => encodeOnnx(wrong)).toThrow('tensor wrong');
});
