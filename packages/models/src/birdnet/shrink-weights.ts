import { elementType, type OnnxModel, type OnnxNode, type OnnxTensor } from './onnx-writer.ts';

/**
 * The same graph with smaller weights, for devices that download it: the kernels of two-dimensional convolutions as float16, the
 * matrix of the last layer as int8 with a scale per row. The front end's kernels and all biases stay float32.
 *
 * Added nodes widen them again: a Cast, and a Mul by the scales. ONNX Runtime evaluates these once, when it loads the graph, so a
 * clip takes as long as before. It would evaluate a DequantizeLinear for every clip.
 */
export function shrinkWeights(model: OnnxModel): OnnxModel {
  const readers = new Map(model.nodes.map(({ kind, inputs }) => [inputs[1], kind]));
  const parts = model.tensors.map((tensor): Part => {
    const reader = readers.get(tensor.name);
    if (!(tensor.data instanceof Float32Array)) return { tensors: [tensor], nodes: [] };
    if (reader === 'Conv' && tensor.dims.length === KERNEL_DIMS) return asHalves(tensor, tensor.data);
    if (reader === 'Gemm') return asScaledBytes(tensor, tensor.data);
    return { tensors: [tensor], nodes: [] };
  });
  return {
    ...model,
    tensors: parts.flatMap(({ tensors }) => tensors),
    nodes: [...parts.flatMap(({ nodes }) => nodes), ...model.nodes],
  };
}

/** Output, input, height and width: kernels over maps. Those of the front end run over samples and have three dimensions. */
const KERNEL_DIMS = 4;

/** The replacement of a tensor, and the nodes that restore it under its name. */
interface Part {
  readonly tensors: readonly OnnxTensor[];
  readonly nodes: readonly OnnxNode[];
}

function asHalves({ name, dims }: OnnxTensor, numbers: Float32Array): Part {
  const halves = `${name}_halves`;
  return { tensors: [{ name: halves, dims, data: new Float16Array(numbers) }], nodes: [widen(halves, name)] };
}

const MOST_STEPS = 127;

/** Rounds each row to steps of its highest magnitude divided by 127. */
function asScaledBytes({ name, dims }: OnnxTensor, numbers: Float32Array): Part {
  const [rows = 0, columns = 0] = dims;
  const scales = new Float32Array(rows);
  const steps = new Int8Array(numbers.length);
  for (let row = 0; row < rows; row++) {
    const start = row * columns;
    const weights = numbers.subarray(start, start + columns);
    const highest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    const scale = Math.fround(highest / MOST_STEPS) || 1;
    scales[row] = scale;
    steps.set(
      weights.map((weight) => Math.round(weight / scale)),
      start,
    );
  }
  const [bytes, widened, scaling] = [`${name}_steps`, `${name}_widened`, `${name}_scales`];
  return {
    tensors: [
      { name: bytes, dims, data: steps },
      { name: scaling, dims: [rows, 1], data: scales },
    ],
    nodes: [widen(bytes, widened), { kind: 'Mul', inputs: [widened, scaling], outputs: [name], attributes: {} }],
  };
}

const widen = (from: string, to: string): OnnxNode => ({
  kind: 'Cast',
  inputs: [from],
  outputs: [to],
  attributes: { to: elementType.float32 },
});
