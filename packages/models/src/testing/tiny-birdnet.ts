import { createTfliteWriter, type OptionField } from '../birdnet/tflite-writer.ts';

/**
 * A model built like BirdNET's audio model, small enough for a test: the same operators in the same order, two spectrogram
 * branches, one block with a padded depthwise convolution and squeeze-excite, and the head.
 */
export const tinySizes = { samples: 325, bands: 8, filters: 6, channels: 8, squeezed: 3, embedding: 5, classes: 7 };

const TINY_FRAMES = 13;

export interface TinyBranch {
  readonly window: Float32Array;
  readonly mel: Float32Array;
  readonly step: number;
  readonly exponent: number;
}

export interface TinyWeights {
  readonly branches: readonly [TinyBranch, TinyBranch];
  readonly scale: Float32Array;
  readonly shift: Float32Array;
  /** Kernels as TFLite stores them, with their shapes, and biases. */
  readonly first: Layer;
  readonly mixed: Layer;
  readonly depthwise: Layer;
  readonly squeeze: Layer;
  readonly excite: Layer;
  readonly projected: Layer;
  readonly head: { readonly weights: Float32Array; readonly bias: Float32Array };
}

export interface Layer {
  readonly shape: readonly [number, number, number, number];
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** Reproducible numbers between −1 and 1. */
export function createNumbers(seed: number): (count: number) => Float32Array {
  let state = seed;
  return (count) =>
    Float32Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 31 - 1;
    });
}

export function createTinyWeights(): TinyWeights {
  const numbers = createNumbers(7);
  const { bands, filters, channels, squeezed, embedding, classes } = tinySizes;
  const layer = (outputs: number, height: number, width: number, inputs: number, depthwise = false): Layer => ({
    shape: depthwise ? [1, height, width, inputs] : [outputs, height, width, inputs],
    weights: numbers((depthwise ? 1 : outputs) * height * width * inputs),
    bias: numbers(outputs),
  });
  const branch = (length: number, step: number, exponent: number, highestBin: number): TinyBranch => ({
    window: Float32Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length)),
    mel: numbers(bands * (length / 2 + 1)).map((value, index) => (index % (length / 2 + 1) > highestBin ? 0 : Math.abs(value))),
    step,
    exponent: Math.fround(exponent),
  });
  return {
    // As in BirdNET, both give the same number of frames, and the longer one covers only low frequencies, so its kernels can be split.
    branches: [branch(128, 16, 0.23, 2), branch(32, 24, 0.19, 16)],
    scale: Float32Array.of(0.2, 3.1),
    shift: Float32Array.of(-0.6, -0.3),
    first: layer(filters, 4, 4, 2),
    mixed: layer(channels, 1, 1, 2 * filters),
    depthwise: layer(channels, 3, 3, channels, true),
    squeeze: layer(squeezed, 1, 1, channels),
    excite: layer(channels, 1, 1, squeezed),
    projected: layer(embedding, 1, 1, channels),
    head: { weights: numbers(classes * embedding), bias: numbers(classes) },
  };
}

const SAME = 0;
const VALID = 1;
const NONE = 0;
const RELU = 1;

/** Writes the weights as a TFLite file. Dimensions that depend on the batch or the clip are 1, as in the published file. */
export function writeTinyBirdnet(weights: TinyWeights): Uint8Array {
  const tiny = createTfliteWriter();
  const { samples, bands, filters, channels, squeezed, embedding, classes } = tinySizes;
  const number = (value: number): number => tiny.constant([], Float32Array.of(value));
  const integers = (...values: number[]): number => tiny.constant([values.length], Int32Array.from(values));
  const integer = (value: number): number => tiny.constant([], Int32Array.of(value));
  const activation = (kind: number): OptionField[] => [{ int8: kind }];

  const input = tiny.computed([1, samples], 'INPUT');
  const axis = integer(1);
  const least = tiny.operator(89, [input, axis], [1, 1], [{ int8: 1 }]);
  const lifted = tiny.operator(41, [input, least], [1, samples], activation(NONE));
  const most = tiny.operator(82, [lifted, axis], [1, 1], [{ int8: 1 }]);
  const positive = tiny.operator(0, [most, number(1e-6)], [1, 1], activation(NONE));
  const unit = tiny.operator(42, [lifted, positive], [1, samples], activation(NONE));
  const centred = tiny.operator(41, [unit, number(0.5)], [1, samples], activation(NONE));
  const scaled = tiny.operator(18, [centred, number(2)], [1, samples], activation(NONE));

  const spectrogram = ({ window, mel, step, exponent }: TinyBranch): number => {
    const length = window.length;
    const piece = greatestCommonDivisor(length, step);
    const parts = length / piece;
    const cut = tiny.operator(45, [scaled, integers(0, 0), integers(1, samples), integers(1, 1)], [1, 1]);
    const pieces = tiny.operator(22, [cut, integers(1, -1, piece)], [1, 1, piece]);
    const numbers = tiny.operator(96, [integer(0), integer(TINY_FRAMES), integer(1)], [1]);
    const starts = tiny.operator(
      22,
      [tiny.operator(18, [numbers, integer(step / piece)], [1]), integers(TINY_FRAMES, 1)],
      [1, 1],
    );
    const partsOfFrame = tiny.constant(
      [1, parts],
      Int32Array.from({ length: parts }, (_, index) => index),
    );
    const indices = tiny.operator(0, [starts, partsOfFrame], [1, parts]);
    const gathered = tiny.operator(36, [pieces, indices], [1, 1, parts, piece]);
    const frames = tiny.operator(22, [gathered, integers(1, TINY_FRAMES, length)], [1, 1, length]);
    const windowed = tiny.operator(18, [frames, tiny.constant([length], window)], [1, 1, length], activation(NONE));
    const rows = tiny.operator(70, [windowed, integer(-2)], [1, 1, 1, length]);
    const transformed = tiny.operator(131, [rows, integers(1, length)], [1, 1, 1, length / 2 + 1]);
    const real = tiny.operator(53, [tiny.operator(43, [transformed], [1, 1, length / 2 + 1])], [1, 1, length / 2 + 1]);
    const matrix = tiny.constant([bands, length / 2 + 1], mel);
    const flat = tiny.operator(22, [real, integers(-1, length / 2 + 1)], [1, length / 2 + 1]);
    const product = tiny.operator(9, [flat, matrix, -1], [1, bands], activation(NONE));
    const shaped = tiny.operator(22, [product, integers(1, TINY_FRAMES, bands)], [1, 1, bands]);
    const squared = tiny.operator(18, [shaped, shaped], [1, 1, bands], activation(NONE));
    const raised = tiny.operator(78, [squared, number(exponent)], [1, 1, bands]);
    const reversed = tiny.operator(105, [raised, integers(2)], [1, 1, bands]);
    const turned = tiny.operator(39, [reversed, integers(0, 2, 1)], [1, bands, 1]);
    return tiny.operator(70, [turned, integer(-1)], [1, bands, 1, 1]);
  };

  const convolve = (from: number, layer: Layer, stride: number, padding: number, kind: number): number => {
    const [outputs] = layer.shape;
    const options: OptionField[] = [
      { int8: padding },
      { int32: stride },
      { int32: stride },
      { int8: kind },
      { int32: 1 },
      { int32: 1 },
    ];
    const kernels = tiny.constant(layer.shape, layer.weights);
    return tiny.operator(3, [from, kernels, tiny.constant([outputs], layer.bias)], [1, 1, 1, outputs], options);
  };
  const swish = (from: number, size: number): number => {
    const gate = tiny.operator(14, [from], [1, 1, 1, size]);
    return tiny.operator(18, [from, gate], [1, 1, 1, size], activation(NONE));
  };

  const both = tiny.operator(2, weights.branches.map(spectrogram), [1, bands, 1, 2], [{ int32: 3 }, { int8: NONE }]);
  const stretched = tiny.operator(18, [both, tiny.constant([2], weights.scale)], [1, bands, 1, 2], activation(NONE));
  const normalised = tiny.operator(0, [stretched, tiny.constant([2], weights.shift)], [1, bands, 1, 2], activation(NONE));
  const first = convolve(normalised, weights.first, 2, SAME, RELU);
  const pool = (code: number): number =>
    tiny.operator(code, [first], [1, 1, 1, filters], [{ int8: VALID }, { int32: 2 }, { int32: 1 }, { int32: 2 }, { int32: 1 }]);
  const average = pool(1);
  const highest = pool(17);
  const joined = tiny.operator(2, [highest, average], [1, 1, 1, 2 * filters], [{ int32: 3 }, { int8: NONE }]);
  const mixed = swish(convolve(joined, weights.mixed, 1, VALID, NONE), channels);

  const edges = tiny.constant([4, 2], Int32Array.of(0, 0, 1, 1, 1, 1, 0, 0));
  const padded = tiny.operator(34, [mixed, edges], [1, 1, 1, channels]);
  const depthwiseOptions: OptionField[] = [
    { int8: VALID },
    { int32: 2 },
    { int32: 2 },
    { int32: 1 },
    { int8: NONE },
    { int32: 1 },
    { int32: 1 },
  ];
  const depthwiseInputs = [
    padded,
    tiny.constant(weights.depthwise.shape, weights.depthwise.weights),
    tiny.constant([channels], weights.depthwise.bias),
  ];
  const depthwise = swish(tiny.operator(4, depthwiseInputs, [1, 1, 1, channels], depthwiseOptions), channels);

  const rowsAndColumns = integers(1, 2);
  const mean = tiny.operator(40, [depthwise, rowsAndColumns], [1, channels], [{ int8: 0 }]);
  const sizes = tiny.operator(83, [tiny.operator(77, [mean], [2])], [4]);
  const point = tiny.operator(22, [mean, sizes], [1, 1, 1, channels]);
  const squeezeOut = swish(convolve(point, weights.squeeze, 1, SAME, NONE), squeezed);
  const gate = tiny.operator(14, [convolve(squeezeOut, weights.excite, 1, SAME, NONE)], [1, 1, 1, channels]);
  const gated = tiny.operator(18, [depthwise, gate], [1, 1, 1, channels], activation(NONE));
  const residual = tiny.operator(0, [gated, depthwise], [1, 1, 1, channels], activation(RELU));
  const projected = convolve(residual, weights.projected, 1, SAME, RELU);
  const embedded = tiny.operator(40, [projected, rowsAndColumns], [1, embedding], [{ int8: 0 }]);
  const head = tiny.constant([classes, embedding], weights.head.weights);
  const logits = tiny.operator(9, [embedded, head, tiny.constant([classes], weights.head.bias)], [1, classes], activation(NONE));
  return tiny.finish([input], [logits]);
}

const greatestCommonDivisor = (first: number, second: number): number =>
  second === 0 ? first : greatestCommonDivisor(second, first % second);
