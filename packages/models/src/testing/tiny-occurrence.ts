import { createTfliteWriter } from '../birdnet/tflite-writer.ts';

export const tinyOccurrenceSizes = { inputs: 3, waves: 2, hidden: 4, classes: 7 };

/** Constants of the tiny occurrence model; `float16` files hold them as float16, as the published one does. */
export interface TinyOccurrence {
  readonly longitudeShift: number;
  readonly longitudeScale: number;
  readonly waves: Float32Array;
  readonly hiddenWeights: Float32Array;
  readonly hiddenBias: Float32Array;
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** Writes the published model's operators: sine waves of the place, those of the week if it is within the year, and dense layers. */
export function writeTinyOccurrence(numbers: TinyOccurrence, precision: 'float16' | 'float32'): Uint8Array {
  const tiny = createTfliteWriter();
  const { inputs, waves, hidden, classes } = tinyOccurrenceSizes;
  const floats = (shape: readonly number[], data: Float32Array): number =>
    precision === 'float32'
      ? tiny.constant(shape, data)
      : tiny.operator(6, [tiny.constant(shape, new Float16Array(data))], shape);
  const number = (value: number): number => floats([], Float32Array.of(value));
  const integers = (...values: number[]): number => tiny.constant([values.length], Int32Array.from(values));
  const plain = [{ int8: 0 }];

  const input = tiny.computed([1, inputs], 'PLACE');
  const column = (index: number): number => {
    const masks = [{ int32: 1 }, { int32: 1 }, { int32: 0 }, { int32: 0 }, { int32: 2 }];
    return tiny.operator(45, [input, integers(0, index), integers(0, index + 1), integers(1, 1)], [1], masks);
  };
  const shifts = floats([waves], numbers.waves);
  const wave = (from: number): number => {
    const wide = tiny.operator(70, [from, tiny.constant([], Int32Array.of(1))], [1, 1]);
    return tiny.operator(66, [tiny.operator(0, [wide, shifts], [1, waves], plain)], [1, waves]);
  };
  const longitude = tiny.operator(0, [column(1), number(numbers.longitudeShift)], [1], plain);
  const place = wave(tiny.operator(18, [longitude, number(numbers.longitudeScale)], [1], plain));

  const week = column(2);
  const [one, zero] = [number(1), number(0)];
  const after = tiny.operator(123, [tiny.operator(61, [week, zero], [1]), one, zero], [1]);
  const before = tiny.operator(123, [tiny.operator(58, [week, number(49)], [1]), one, zero], [1]);
  const inYear = tiny.operator(70, [tiny.operator(18, [after, before], [1], plain), tiny.constant([], Int32Array.of(1))], [1, 1]);
  const season = tiny.operator(18, [wave(tiny.operator(41, [week, one], [1], plain)), inYear], [1, waves], plain);

  const joined = tiny.operator(2, [place, season], [1, 2 * waves], [{ int32: 1 }, { int8: 0 }]);
  const dense = (from: number, size: number, weights: Float32Array, bias: Float32Array, activation: number): number => {
    const matrix = floats([size, weights.length / size], weights);
    return tiny.operator(9, [from, matrix, floats([size], bias)], [1, size], [{ int8: activation }]);
  };
  const hiddenOut = dense(joined, hidden, numbers.hiddenWeights, numbers.hiddenBias, 1);
  const logits = dense(hiddenOut, classes, numbers.weights, numbers.bias, 0);
  return tiny.finish([input], [tiny.operator(14, [logits], [1, classes])]);
}

/** The same scores, computed directly. */
export function tinyOccurrenceScores(numbers: TinyOccurrence, longitude: number, week: number): number[] {
  const wave = (value: number): number[] => [...numbers.waves].map((shift) => Math.sin(value + shift));
  const inYear = week > 0 && week < 49 ? 1 : 0;
  const place = wave((longitude + numbers.longitudeShift) * numbers.longitudeScale);
  const joined = [...place, ...wave(week - 1).map((value) => value * inYear)];
  const dense = (from: readonly number[], weights: Float32Array, bias: Float32Array): number[] =>
    [...bias].map((start, row) =>
      from.reduce((sum, value, index) => sum + value * (weights[row * from.length + index] ?? 0), start),
    );
  const hidden = dense(joined, numbers.hiddenWeights, numbers.hiddenBias).map((value) => Math.max(0, value));
  return dense(hidden, numbers.weights, numbers.bias).map((value) => 1 / (1 + Math.exp(-value)));
}
