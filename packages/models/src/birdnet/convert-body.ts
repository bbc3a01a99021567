/**
 * Cuts BirdNET's audio model in two for browsers: the *body*, from the first convolution on, becomes a TFLite file, and what comes before it,
 * the *front end*, is read as constants, because the recogniser computes it itself (`recognizer/src/audio/front-end.ts`). Called by `convert.ts`.
 */
import type { FrontEndConstants, MelConstants } from '@chiffchaff/recognizer/audio';
import { framesOf, isMelBranchEnd, type MelBranch, readMelBranch } from './front-end.ts';
import {
  floatsOf,
  type Graph,
  inputAt,
  integersOf,
  type Operator,
  outputOf,
  producerOfKind,
  scalarOf,
  type Tensor,
  unexpected,
} from './graph.ts';
import { convolutionOptions, kernelShape, noPadding, outputSize, poolOptions, samePadding } from './layers.ts';
import { operatorNames } from './tflite-reader.ts';
import { createTfliteWriter, type OptionField } from './tflite-writer.ts';

export interface CutModel {
  readonly frontEnd: FrontEndConstants;
  /** A TFLite file, `[1, bands, frames, branches]` → `[1, classes]`. */
  readonly body: Uint8Array;
  readonly classes: number;
}

/** A tensor of the new file. `[1, height, width, channels]`, or fewer dimensions. */
interface Placed {
  readonly index: number;
  readonly shape: readonly number[];
}

/** Sizes of the options' fields, by kind, in the order of the schema. */
const window = ['int8', 'int32', 'int32'] as const;
const optionFields: Readonly<Record<string, readonly ('int8' | 'int32')[]>> = {
  CONV_2D: [...window, 'int8', 'int32', 'int32'],
  DEPTHWISE_CONV_2D: [...window, 'int32', 'int8', 'int32', 'int32'],
  AVERAGE_POOL_2D: [...window, 'int32', 'int32', 'int8'],
  MAX_POOL_2D: [...window, 'int32', 'int32', 'int8'],
  CONCATENATION: ['int32', 'int8'],
  ADD: ['int8'],
  MUL: ['int8'],
};

const codes = new Map(Object.entries(operatorNames).map(([code, name]) => [name, Number(code)]));
const codeOf = (kind: string): number => codes.get(kind) ?? -1;

/**
 * Cuts the model at its first convolution. All sizes of the body are fixed, for one clip: XNNPACK leaves dynamic ones to slow kernels. Walks
 * backwards from the output, which drops the operators that only serve such sizes. Throws `ModelError` `GRAPH_UNEXPECTED` for another graph.
 */
export function cutAudioModel(graph: Graph): CutModel {
  const [output] = graph.outputs;
  const first = graph.operators.find(({ kind }) => kind === 'CONV_2D');
  if (output === undefined || first === undefined) throw unexpected('it has no convolution or no scores out');
  const spectrogram = inputAt(first, 0);
  const frontEnd = readFrontEnd(graph, spectrogram);
  const { frames, branches } = frontEnd;
  const bands = branches[0]?.mel.length ?? 0;

  const tflite = createTfliteWriter();
  const placed = new Map<Tensor, Placed>();
  const shape = [1, bands, frames, branches.length];
  const input = tflite.computed(shape, 'spectrogram');
  placed.set(spectrogram, { shape, index: input });

  const add = (
    kind: string,
    inputs: readonly Placed[],
    shape: readonly number[],
    options: readonly OptionField[] = [],
  ): Placed => ({
    shape,
    index: tflite.operator(
      codeOf(kind),
      inputs.map(({ index }) => index),
      shape,
      options,
    ),
  });
  const integers = (shape: readonly number[], tensor: Tensor): Placed => ({
    shape,
    index: tflite.constant(shape, integersOf(tensor)),
  });
  /** Constants that several operators share are stored once. */
  const place = (tensor: Tensor): Placed => {
    const known = placed.get(tensor);
    if (known !== undefined) return known;
    const operator = graph.producer(tensor);
    const { shape } = tensor;
    const value = operator === undefined ? { shape, index: tflite.constant(shape, floatsOf(tensor)) } : convert(operator);
    placed.set(tensor, value);
    return value;
  };
  const convert = (operator: Operator): Placed => {
    const { kind, options } = operator;
    const source = place(inputAt(operator, 0));
    const copied = (optionFields[kind] ?? []).map(
      (size, field): OptionField =>
        size === 'int8' ? { int8: options?.int8(field) ?? 0 } : { int32: options?.int32(field) ?? 0 },
    );
    const [, height = 1, width = 1, channels = 1] = source.shape;
    switch (kind) {
      case 'CONV_2D':
      case 'DEPTHWISE_CONV_2D': {
        const [filters, rows, columns, inputs] = kernelShape(inputAt(operator, 1));
        const { padding, strideHeight, strideWidth } = convolutionOptions(operator);
        const size = (length: number, kernel: number, stride: number): number =>
          outputSize(length, kernel, stride, padding === 'same' ? samePadding(length, kernel, stride) : noPadding);
        const shape = [
          1,
          size(height, rows, strideHeight),
          size(width, columns, strideWidth),
          kind === 'CONV_2D' ? filters : inputs,
        ];
        return add(kind, [source, place(inputAt(operator, 1)), place(inputAt(operator, 2))], shape, copied);
      }
      case 'AVERAGE_POOL_2D':
      case 'MAX_POOL_2D': {
        const pool = poolOptions(operator);
        const rows = outputSize(height, pool.height, pool.strideHeight, noPadding);
        return add(kind, [source], [1, rows, outputSize(width, pool.width, pool.strideWidth, noPadding), channels], copied);
      }
      case 'CONCATENATION': {
        const parts = operator.inputs.map(place);
        return add(kind, parts, [1, height, width, parts.reduce((sum, { shape }) => sum + (shape[3] ?? 0), 0)], copied);
      }
      case 'ADD':
      case 'MUL': {
        const other = place(inputAt(operator, 1));
        const sizeOf = ({ shape }: Placed): number => shape.reduce((product, size) => product * size, 1);
        return add(kind, [source, other], sizeOf(source) < sizeOf(other) ? other.shape : source.shape, copied);
      }
      case 'LOGISTIC':
        return add(kind, [source], source.shape);
      case 'PAD': {
        const edges = integersOf(inputAt(operator, 1));
        const shape = source.shape.map((size, axis) => size + (edges[2 * axis] ?? 0) + (edges[2 * axis + 1] ?? 0));
        return add(kind, [source, integers([4, 2], inputAt(operator, 1))], shape);
      }
      case 'MEAN':
        // Over rows and columns, which stay as 1 × 1: the RESHAPE that would bring them back is left out.
        return add(kind, [source, integers([2], inputAt(operator, 1))], [1, 1, 1, channels], [{ int8: 1 }]);
      case 'RESHAPE':
        return source;
      default:
        throw unexpected(`${kind} ${operator.index} stands where no such layer is known`);
    }
  };

  const head = producerOfKind(graph, output, 'FULLY_CONNECTED');
  const [classes = 0] = inputAt(head, 1).shape;
  const logits = add('FULLY_CONNECTED', head.inputs.map(place), [1, classes]);
  return { frontEnd, body: tflite.finish([input], [logits.index]), classes };
}

/** Reads the constants of everything before a tensor: scaling, two spectrograms, and what makes their channels alike. */
function readFrontEnd(graph: Graph, spectrogram: Tensor): FrontEndConstants {
  const back = (tensor: Tensor, kind: string): Operator => producerOfKind(graph, tensor, kind);
  const shifted = back(spectrogram, 'ADD');
  const stretched = back(inputAt(shifted, 0), 'MUL');
  const ends = back(inputAt(stretched, 0), 'CONCATENATION').inputs.map((tensor) => graph.producer(tensor));
  const branches = ends.map((end): MelBranch => {
    if (end === undefined || !isMelBranchEnd(graph, end)) throw unexpected('a channel is no spectrogram');
    return readMelBranch(graph, end);
  });
  const [branch] = branches;
  const samples = graph.inputs[0]?.shape[1] ?? 0;
  const frames = branch === undefined ? 0 : framesOf(branch, samples);
  if (branch === undefined || branches.some((other) => other.samples !== branch.samples || framesOf(other, samples) !== frames))
    throw unexpected('the spectrograms differ in samples or frames');
  const [scales, shifts] = [floatsOf(inputAt(stretched, 1)), floatsOf(inputAt(shifted, 1))];

  // ((x − min) / (max(x − min) + floor) − centre) · factor
  const scaled = back(branch.samples, 'MUL');
  const centred = back(inputAt(scaled, 0), 'SUB');
  const unit = back(inputAt(centred, 0), 'DIV');
  const positive = back(inputAt(unit, 1), 'ADD');
  const lifted = back(inputAt(unit, 0), 'SUB');
  const [most, least] = [back(inputAt(positive, 0), 'REDUCE_MAX'), back(inputAt(lifted, 1), 'REDUCE_MIN')];
  if (inputAt(most, 0) !== outputOf(lifted) || inputAt(least, 0) !== inputAt(lifted, 0))
    throw unexpected('samples are scaled otherwise');
  return {
    floor: scalarOf(inputAt(positive, 1)),
    centre: scalarOf(inputAt(centred, 1)),
    factor: scalarOf(inputAt(scaled, 1)),
    frames,
    branches: branches.map(({ window, step, mel, bands, exponent }, channel) => ({
      step,
      window: shortened(window),
      mel: Array.from({ length: bands }, (_, band) =>
        sparse(mel.subarray((band * mel.length) / bands, ((band + 1) * mel.length) / bands)),
      ),
      exponent,
      scale: scales[channel] ?? Number.NaN,
      shift: shifts[channel] ?? Number.NaN,
    })),
  };
}

/** A band without the zeros around it. */
function sparse(row: Float32Array): MelConstants {
  const firstBin = Math.max(
    0,
    row.findIndex((weight) => weight !== 0),
  );
  return { firstBin, weights: shortened(row.subarray(firstBin, row.findLastIndex((weight) => weight !== 0) + 1)) };
}

/** Nine digits tell every float32 from the next one. */
const shortened = (numbers: Float32Array): number[] => Array.from(numbers, (number) => Number(number.toPrecision(9)));
