import { framesOf, isMelBranchEnd, readMelBranch } from './front-end.ts';
import {
  floatsOf,
  type Graph,
  inputAt,
  integersOf,
  type Operator,
  outputOf,
  producerOfKind,
  type Tensor,
  unexpected,
} from './graph.ts';
import {
  type ChannelPlaces,
  convolutionOptions,
  densePlaces,
  fusedRelu,
  kernelShape,
  noPadding,
  outputSize,
  type Padding,
  poolOptions,
  rearrangeDepthwiseKernels,
  rearrangeKernels,
  samePadding,
  spreadChannels,
} from './layers.ts';
import { createOnnxGraph, type OnnxGraph } from './onnx-graph.ts';
import type { OnnxModel } from './onnx-writer.ts';
import { addSpectrogram } from './spectrogram.ts';
import { dense, type Maps, type Value, widest } from './values.ts';

const audioNames = { input: 'samples', logits: 'logits', embedding: 'embedding' } as const;

/**
 * Converts BirdNET's audio model to an ONNX graph with a dynamic batch and two outputs: the logits, and the embedding before them.
 *
 * Walks backwards from the output. This drops the shape operators that only serve TensorFlow's dynamic sizes. Throws `ModelError`
 * `GRAPH_UNEXPECTED` for another graph.
 */
export function convertAudioModel(graph: Graph, metadata: Readonly<Record<string, string>> = {}): OnnxModel {
  const [input] = graph.inputs;
  const [output] = graph.outputs;
  const samples = input?.shape[1];
  if (input === undefined || output === undefined || samples === undefined)
    throw unexpected('it has no samples in or no scores out');

  const onnx = createOnnxGraph();
  const walk = createWalk(graph, onnx, samples);
  walk.set(input, { kind: 'rows', name: audioNames.input, size: samples });

  const head = producerOfKind(graph, output, 'FULLY_CONNECTED');
  const weights = inputAt(head, 1);
  const [classes = 0, embeddingSize = 0] = weights.shape;
  const embedding = onnx.node('Flatten', [walk.maps(inputAt(head, 0)).name], { axis: 1 }, audioNames.embedding);
  const matrix = onnx.floats('head_weights', [classes, embeddingSize], () => floatsOf(weights));
  const bias = onnx.floats('head_bias', [classes], () => floatsOf(inputAt(head, 2)));
  onnx.node('Gemm', [embedding, matrix, bias], { transB: 1 }, audioNames.logits);
  return {
    name: 'birdnet-audio',
    inputs: [{ name: audioNames.input, dims: ['batch', samples] }],
    outputs: [
      { name: audioNames.logits, dims: ['batch', classes] },
      { name: audioNames.embedding, dims: ['batch', embeddingSize] },
    ],
    nodes: onnx.nodes,
    tensors: onnx.tensors,
    metadata,
  };
}

const elementwise: Readonly<Record<string, string>> = { ADD: 'Add', SUB: 'Sub', MUL: 'Mul', DIV: 'Div' };

/** The filters of a convolution are padded to a multiple of this: two vectors of AVX-512, four of AVX2. */
const WHOLE_VECTORS = 32;

function createWalk(graph: Graph, onnx: OnnxGraph, samples: number) {
  const values = new Map<Tensor, Value>();

  const valueFor = (tensor: Tensor): Value => {
    const known = values.get(tensor);
    if (known !== undefined) return known;
    const operator = graph.producer(tensor);
    if (operator === undefined) throw unexpected(`"${tensor.name}" is neither input nor computed`);
    const value = convert(operator);
    values.set(tensor, value);
    return value;
  };

  /** The maps for a tensor. The nodes that compute them are added on first use. */
  const maps = (tensor: Tensor): Maps => {
    const value = valueFor(tensor);
    if (value.kind !== 'maps') throw unexpected(`"${tensor.name}" has no channels`);
    return value;
  };

  const convert = (operator: Operator): Value => {
    if (isMelBranchEnd(graph, operator)) return spectrogram(operator);
    switch (operator.kind) {
      case 'REDUCE_MIN':
      case 'REDUCE_MAX':
        return extreme(operator);
      case 'ADD':
      case 'SUB':
      case 'MUL':
      case 'DIV':
        return arithmetic(operator);
      case 'LOGISTIC': {
        const value = valueFor(inputAt(operator, 0));
        return { ...value, name: onnx.node('Sigmoid', [value.name]) };
      }
      case 'CONCATENATION':
        return concatenation(operator);
      case 'CONV_2D':
      case 'DEPTHWISE_CONV_2D':
        return convolution(operator);
      case 'AVERAGE_POOL_2D':
      case 'MAX_POOL_2D':
        return pool(operator);
      case 'MEAN':
        return mean(operator);
      case 'RESHAPE':
        // [batch, channels] → [batch, 1, 1, channels]: a mean over rows and columns already has the form of 1 × 1 maps.
        return maps(inputAt(operator, 0));
      default:
        throw unexpected(`${operator.kind} ${operator.index} stands where no such layer is known`);
    }
  };

  const spectrogram = (last: Operator): Maps => {
    const branch = readMelBranch(graph, last);
    const name = addSpectrogram(onnx, branch, valueFor(branch.samples).name, samples);
    return { kind: 'maps', name, channels: densePlaces(1), height: branch.bands, width: framesOf(branch, samples) };
  };

  const extreme = (operator: Operator): Value => {
    const source = valueFor(inputAt(operator, 0));
    const kind = operator.kind === 'REDUCE_MIN' ? 'ReduceMin' : 'ReduceMax';
    return { kind: 'rows', name: onnx.node(kind, [source.name], { axes: [1], keepdims: 1 }), size: 1 };
  };

  const arithmetic = (operator: Operator): Value => {
    const first = valueFor(inputAt(operator, 0));
    const other = inputAt(operator, 1);
    const second = other.data === null ? valueFor(other) : constant(other, first);
    const kind = elementwise[operator.kind] ?? operator.kind;
    const name = onnx.node(kind, [first.name, second.name]);
    return { ...widest(first, second), name: fusedRelu(operator) ? onnx.node('Relu', [name]) : name };
  };

  const constant = (tensor: Tensor, like: Value): Value => {
    const numbers = floatsOf(tensor);
    if (numbers.length === 1) return { ...like, name: onnx.floats(`constant_${tensor.index}`, [], () => numbers) };
    if (like.kind !== 'maps' || numbers.length !== dense(like)) throw unexpected(`"${tensor.name}" fits no channels`);
    return { ...like, name: onnx.floats(`channels_${tensor.index}`, [numbers.length, 1, 1], () => numbers) };
  };

  const concatenation = (operator: Operator): Maps => {
    const parts = operator.inputs.map(maps);
    const [first] = parts;
    if (first === undefined) throw unexpected('nothing is joined');
    let total = 0;
    const places = parts.flatMap(({ channels }) => {
      const start = total;
      total += channels.total;
      return channels.places.map((place) => start + place);
    });
    const name = onnx.node(
      'Concat',
      parts.map((part) => part.name),
      { axis: 1 },
    );
    return { ...first, name, channels: { places, total } };
  };

  const convolution = (operator: Operator): Maps => {
    const { source, padded } = unpad(inputAt(operator, 0));
    const weights = inputAt(operator, 1);
    const bias = inputAt(operator, 2);
    const shape = kernelShape(weights);
    const [filters, height, width, inputs] = shape;
    const depthwise = operator.kind === 'DEPTHWISE_CONV_2D';
    const { padding, strideHeight, strideWidth, relu } = convolutionOptions(operator);
    const rows = padding === 'same' ? samePadding(source.height, height, strideHeight) : padded.rows;
    const columns = padding === 'same' ? samePadding(source.width, width, strideWidth) : padded.columns;

    const channels = depthwise ? densePlaces(dense(source)) : filled(operator, filters);
    const kernels = onnx.floats(
      `kernels_${weights.index}`,
      depthwise ? [inputs, 1, height, width] : [channels.total, source.channels.total, height, width],
      () =>
        depthwise
          ? rearrangeDepthwiseKernels(floatsOf(weights), height, width, inputs)
          : rearrangeKernels(floatsOf(weights), shape, channels, source.channels),
    );
    const added = onnx.floats(`bias_${bias.index}_${channels.total}`, [channels.total], () =>
      spreadChannels(floatsOf(bias), channels),
    );
    const name = onnx.node('Conv', [source.name, kernels, added], {
      kernel_shape: [height, width],
      strides: [strideHeight, strideWidth],
      pads: [rows.begin, columns.begin, rows.end, columns.end],
      group: depthwise ? inputs : 1,
    });
    return {
      kind: 'maps',
      name: relu ? onnx.node('Relu', [name]) : name,
      channels,
      height: outputSize(source.height, height, strideHeight, rows),
      width: outputSize(source.width, width, strideWidth, columns),
    };
  };

  /** Filters that only pools read can be padded with zeros: the convolution after the pools removes them again. */
  const filled = (operator: Operator, filters: number): ChannelPlaces => {
    const readers = graph.consumers(outputOf(operator));
    const fillable = readers.length > 1 && readers.every(({ kind }) => kind.endsWith('_POOL_2D'));
    const total = Math.ceil(filters / WHOLE_VECTORS) * WHOLE_VECTORS;
    return { places: densePlaces(filters).places, total: fillable ? total : filters };
  };

  /** A PAD before a convolution is folded into it. */
  const unpad = (tensor: Tensor): { source: Maps; padded: { rows: Padding; columns: Padding } } => {
    const operator = graph.producer(tensor);
    if (operator?.kind !== 'PAD') return { source: maps(tensor), padded: { rows: noPadding, columns: noPadding } };
    const [, , top = 0, bottom = 0, left = 0, right = 0] = integersOf(inputAt(operator, 1));
    return {
      source: maps(inputAt(operator, 0)),
      padded: { rows: { begin: top, end: bottom }, columns: { begin: left, end: right } },
    };
  };

  const pool = (operator: Operator): Maps => {
    const source = maps(inputAt(operator, 0));
    const { height, width, strideHeight, strideWidth } = poolOptions(operator);
    const kind = operator.kind === 'MAX_POOL_2D' ? 'MaxPool' : 'AveragePool';
    const name = onnx.node(kind, [source.name], { kernel_shape: [height, width], strides: [strideHeight, strideWidth] });
    return {
      ...source,
      name,
      height: outputSize(source.height, height, strideHeight, noPadding),
      width: outputSize(source.width, width, strideWidth, noPadding),
    };
  };

  const mean = (operator: Operator): Maps => {
    const source = maps(inputAt(operator, 0));
    return { ...source, name: onnx.node('GlobalAveragePool', [source.name]), height: 1, width: 1 };
  };

  return { set: (tensor: Tensor, value: Value) => void values.set(tensor, value), maps };
}
