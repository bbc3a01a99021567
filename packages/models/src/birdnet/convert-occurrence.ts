import { floatsOf, type Graph, inputAt, integersOf, type Operator, type Tensor, unexpected } from './graph.ts';
import { fusedRelu } from './layers.ts';
import { createOnnxGraph } from './onnx-graph.ts';
import type { OnnxModel } from './onnx-writer.ts';

const occurrenceNames = { input: 'place', scores: 'scores' } as const;

/**
 * Converts BirdNET's occurrence ("meta") model to an ONNX graph with a dynamic batch: from `[batch, 3]` (latitude, longitude, week)
 * to `[batch, classes]` scores.
 *
 * The published file holds its constants as float16, which are widened here. A build with float32 constants is rounded to float16
 * first, so that every source gives the same model. Throws `ModelError`.
 */
export function convertOccurrenceModel(graph: Graph, metadata: Readonly<Record<string, string>> = {}): OnnxModel {
  const [input] = graph.inputs;
  const [output] = graph.outputs;
  const inputs = input?.shape[1];
  const classes = output?.shape.at(-1);
  if (input === undefined || output === undefined || inputs === undefined || classes === undefined) {
    throw unexpected('it has no place in or no scores out');
  }

  const onnx = createOnnxGraph();
  // Everything is kept as [batch, columns]; TFLite drops and adds the second axis of single columns.
  const names = new Map<Tensor, string>([[input, occurrenceNames.input]]);

  const nameOf = (tensor: Tensor): string => {
    const known = names.get(tensor);
    if (known !== undefined) return known;
    const name = isConstant(graph, tensor) ? constant(tensor) : convert(tensor);
    names.set(tensor, name);
    return name;
  };

  const constant = (tensor: Tensor, dims?: readonly number[]): string => {
    const stored = graph.producer(tensor)?.inputs[0] ?? tensor;
    const shape = dims ?? (stored.shape.length === 0 ? [] : [1, stored.shape.at(-1) ?? 1]);
    return onnx.floats(`constant_${stored.index}`, shape, () => floatsOf(stored).map(Math.f16round));
  };

  const convert = (tensor: Tensor): string => {
    const operator = graph.producer(tensor);
    if (operator === undefined) throw unexpected(`"${tensor.name}" is neither input nor computed`);
    const kind = sameInOnnx[operator.kind];
    if (kind !== undefined) {
      const result = onnx.node(kind, operator.inputs.map(nameOf), {}, tensor === output ? occurrenceNames.scores : undefined);
      return fusedRelu(operator) ? onnx.node('Relu', [result]) : result;
    }
    switch (operator.kind) {
      case 'EXPAND_DIMS':
        return nameOf(inputAt(operator, 0));
      case 'STRIDED_SLICE':
        return column(operator);
      case 'CONCATENATION':
        return onnx.node('Concat', operator.inputs.map(nameOf), { axis: 1 });
      case 'FULLY_CONNECTED':
        return fullyConnected(operator);
      default:
        throw unexpected(`${operator.kind} ${operator.index} stands where no such layer is known`);
    }
  };

  const column = (operator: Operator): string => {
    const [, begin = 0] = integersOf(inputAt(operator, 1));
    return onnx.node('Slice', [nameOf(inputAt(operator, 0)), ...[[begin], [begin + 1], [1]].map(onnx.integers)]);
  };

  const fullyConnected = (operator: Operator): string => {
    const weights = inputAt(operator, 1);
    const bias = inputAt(operator, 2);
    const matrix = constant(weights, weights.shape);
    const product = onnx.node('Gemm', [nameOf(inputAt(operator, 0)), matrix, constant(bias, bias.shape)], { transB: 1 });
    return fusedRelu(operator) ? onnx.node('Relu', [product]) : product;
  };

  nameOf(output);
  return {
    name: 'birdnet-occurrence',
    inputs: [{ name: occurrenceNames.input, dims: ['batch', inputs] }],
    outputs: [{ name: occurrenceNames.scores, dims: ['batch', classes] }],
    nodes: onnx.nodes,
    tensors: onnx.tensors,
    metadata,
  };
}

const sameInOnnx: Readonly<Record<string, string>> = {
  ADD: 'Add',
  SUB: 'Sub',
  MUL: 'Mul',
  SIN: 'Sin',
  GREATER: 'Greater',
  LESS: 'Less',
  SELECT_V2: 'Where',
  LOGISTIC: 'Sigmoid',
};

const isConstant = (graph: Graph, tensor: Tensor): boolean =>
  tensor.data !== null || graph.producer(tensor)?.kind === 'DEQUANTIZE';
