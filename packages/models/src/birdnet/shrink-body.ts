import type { BodyPart } from '@chiffchaff/recognizer';
import { floatsOf, inputAt, type Tensor } from './graph.ts';
import { readTflite } from './tflite-reader.ts';

/**
 * Stores a body for devices that download it: the kernels of convolutions as float16, the matrix of the last layer as int8 with a scale a row,
 * everything else as it is. `widenBody` restores it.
 */
export function shrinkBody(body: Uint8Array): { parts: BodyPart[]; weights: Uint8Array[] } {
  const parts: BodyPart[] = [];
  const weights: Uint8Array[] = [];
  const add = (part: BodyPart, ...stored: Uint8Array[]): void => {
    parts.push(part);
    weights.push(...stored);
  };
  let end = 0;
  const keepUntil = (start: number): void => {
    if (start > end) add({ kind: 'bytes', count: start - end }, body.subarray(end, start));
  };
  for (const { start, numbers, rows } of findWeights(body)) {
    keepUntil(start);
    if (rows === null) add({ kind: 'halves', count: numbers.length }, bytesOf(new Float16Array(numbers)));
    else {
      const { scales, steps } = toSteps(numbers, rows);
      add({ kind: 'steps', rows, columns: numbers.length / rows }, bytesOf(scales), bytesOf(steps));
    }
    end = start + numbers.byteLength;
  }
  keepUntil(body.byteLength);
  return { parts, weights };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The weights to shrink, in the order of the file; `rows` for the last layer. */
function findWeights(body: Uint8Array) {
  const found = new Map<Tensor, number | null>();
  for (const operator of readTflite(body).operators) {
    const tensor = operator.inputs[1];
    if (operator.kind.endsWith('CONV_2D') && tensor) found.set(tensor, null);
    if (operator.kind === 'FULLY_CONNECTED') found.set(inputAt(operator, 1), inputAt(operator, 1).shape[0] ?? 0);
  }
  return [...found]
    .map(([tensor, rows]) => ({ start: (tensor.data?.byteOffset ?? 0) - body.byteOffset, numbers: floatsOf(tensor), rows }))
    .sort((first, second) => first.start - second.start);
}

const MOST_STEPS = 127;

/** Rounds each row to steps of its highest magnitude divided by 127. */
function toSteps(numbers: Float32Array, rows: number): { scales: Float32Array; steps: Int8Array } {
  const columns = numbers.length / rows;
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
  return { scales, steps };
}
