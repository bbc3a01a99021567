import type { FlatTable } from './flatbuffer.ts';
import { type Operator, type Tensor, unexpected } from './graph.ts';

/** Options that TFLite's convolutions and pools have in common, read by field number (schema.fbs). */
export interface Window2d {
  readonly padding: 'same' | 'valid';
  readonly strideHeight: number;
  readonly strideWidth: number;
}

/** Rows or columns added at the beginning and the end. */
export interface Padding {
  readonly begin: number;
  readonly end: number;
}

function optionsOf(operator: Operator): FlatTable {
  if (operator.options === null) throw unexpected(`${operator.kind} ${operator.index} has no options`);
  return operator.options;
}

const windowOf = (options: FlatTable): Window2d => ({
  padding: options.int8(0) === 0 ? 'same' : 'valid',
  strideWidth: options.int32(1),
  strideHeight: options.int32(2),
});

/** Options of a 2-D convolution, depthwise or not; `relu`: a ReLU is fused into it. */
export function convolutionOptions(operator: Operator): Window2d & { readonly relu: boolean } {
  const options = optionsOf(operator);
  const depthwise = operator.kind === 'DEPTHWISE_CONV_2D';
  return { ...windowOf(options), relu: options.int8(depthwise ? 4 : 3) === RELU };
}

export function poolOptions(operator: Operator): Window2d & { readonly height: number; readonly width: number } {
  const options = optionsOf(operator);
  return { ...windowOf(options), width: options.int32(3), height: options.int32(4) };
}

/** Whether ADD, SUB, MUL, DIV or FULLY_CONNECTED ends with a ReLU. */
export const fusedRelu = (operator: Operator): boolean => operator.options?.int8(0) === RELU;

/** The only activation in BirdNET's graphs. */
const RELU = 1;

/** TensorFlow's rule: pads both sides equally, with an odd one at the end. */
export function samePadding(size: number, kernel: number, stride: number): Padding {
  const total = Math.max(0, (Math.ceil(size / stride) - 1) * stride + kernel - size);
  const begin = Math.floor(total / 2);
  return { begin, end: total - begin };
}

export const noPadding: Padding = { begin: 0, end: 0 };

export const outputSize = (size: number, kernel: number, stride: number, padding: Padding): number =>
  Math.floor((size + padding.begin + padding.end - kernel) / stride) + 1;

/** The four sizes of a convolution's weights: `[output, height, width, input]`, or `[1, height, width, channels]` if depthwise. */
export function kernelShape(weights: Tensor): readonly [number, number, number, number] {
  const [first, height, width, last, ...more] = weights.shape;
  if (first === undefined || height === undefined || width === undefined || last === undefined || more.length > 0) {
    throw unexpected(`the weights "${weights.name}" have ${weights.shape.length} dimensions instead of 4`);
  }
  return [first, height, width, last];
}

/** Index of each channel in a map that may have padding channels, which are zero. */
export interface ChannelPlaces {
  readonly places: readonly number[];
  readonly total: number;
}

export const densePlaces = (channels: number): ChannelPlaces => ({
  places: Array.from({ length: channels }, (_, index) => index),
  total: channels,
});

/** `[output, height, width, input]` → `[output, input, height, width]`, with zeros for the padding channels. */
export function rearrangeKernels(
  weights: Float32Array,
  [outputs, height, width, inputs]: readonly [number, number, number, number],
  output: ChannelPlaces = densePlaces(outputs),
  input: ChannelPlaces = densePlaces(inputs),
): Float32Array {
  const area = height * width;
  const result = new Float32Array(output.total * input.total * area);
  for (let o = 0; o < outputs; o++) {
    const row = (output.places[o] ?? 0) * input.total;
    for (let position = 0; position < area; position++) {
      const from = (o * area + position) * inputs;
      for (let i = 0; i < inputs; i++) {
        result[(row + (input.places[i] ?? 0)) * area + position] = weights[from + i] ?? 0;
      }
    }
  }
  return result;
}

/** `[1, height, width, channels]` → `[channels, 1, height, width]`. */
export const rearrangeDepthwiseKernels = (weights: Float32Array, height: number, width: number, channels: number): Float32Array =>
  rearrangeKernels(weights, [1, height, width, channels]);

/** A bias with zeros for the padding channels. */
export function spreadChannels(numbers: Float32Array, { places, total }: ChannelPlaces): Float32Array {
  const result = new Float32Array(total);
  places.forEach((place, index) => {
    result[place] = numbers[index] ?? 0;
  });
  return result;
}
