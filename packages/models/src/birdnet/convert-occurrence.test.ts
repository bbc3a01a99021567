import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { createNumbers } from '../testing/tiny-birdnet.ts';
import {
  type TinyOccurrence,
  tinyOccurrenceScores,
  tinyOccurrenceSizes,
  writeTinyOccurrence,
} from '../testing/tiny-occurrence.ts';
import { convertOccurrenceModel } from './convert-occurrence.ts';
import { encodeOnnx } from './onnx-writer.ts';
import { readTflite } from './tflite-reader.ts';

/** Rounds to sixteenths, which float16 holds exactly. */
const exact = (numbers: Float32Array): Float32Array => numbers.map((value) => Math.round(value * 16) / 16);

const draw = createNumbers(5);
const { waves, hidden, classes } = tinyOccurrenceSizes;
const model: TinyOccurrence = {
  longitudeShift: 180,
  longitudeScale: 0.0625,
  waves: exact(draw(waves)),
  hiddenWeights: exact(draw(hidden * 2 * waves)),
  hiddenBias: exact(draw(hidden)),
  weights: exact(draw(classes * hidden)),
  bias: exact(draw(classes)),
};

async function run(file: Uint8Array, places: readonly (readonly number[])[]): Promise<number[][]> {
  const { graph } = encodeOnnx(convertOccurrenceModel(readTflite(file)));
  const session = await InferenceSession.create(Buffer.concat(graph));
  const input = new Tensor('float32', Float32Array.from(places.flat()), [places.length, 3]);
  const { scores } = await session.run({ place: input });
  const numbers = [...(scores?.data ?? [])].map(Number);
  return places.map((_, row) => numbers.slice(row * classes, (row + 1) * classes));
}

const worst = (found: readonly number[] | undefined, expected: readonly number[]): number =>
  Math.max(...expected.map((value, index) => Math.abs(value - (found?.[index] ?? Number.NaN))));

it('The converted occurrence model produces what a computation layer by layer gives, for several places at once', async () => {
  const places = [
    [50.8, 12.9, 20],
    [-33, -70.5, 1],
    [0, 179, 48],
  ];
  const found = await run(writeTinyOccurrence(model, 'float16'), places);
  for (const [row, [, longitude = 0, week = 0]] of places.entries()) {
    expect(worst(found[row], tinyOccurrenceScores(model, longitude, week))).toBeLessThan(1e-5);
  }
});

it('The converted occurrence model ignores the season for a week outside the year', async () => {
  const [whole, after, within] = await run(writeTinyOccurrence(model, 'float16'), [
    [10, 20, -1],
    [10, 20, 49],
    [10, 20, 10],
  ]);
  expect(worst(whole, after ?? [])).toBeLessThan(1e-6);
  expect(worst(whole, within ?? [])).toBeGreaterThan(1e-3);
});

it('The converted occurrence model is the same whether the constants are float32 or float16', async () => {
  // Each moves by less than half a step of float16, so rounding brings the exact numbers back.
  const nudge = (numbers: Float32Array): Float32Array => numbers.map((value) => value * (1 + 2 ** -13));
  const nudged = {
    ...model,
    weights: nudge(model.weights),
    hiddenWeights: nudge(model.hiddenWeights),
    waves: nudge(model.waves),
  };
  const place = [[47, 8, 16]];
  expect(await run(writeTinyOccurrence(nudged, 'float32'), place)).toEqual(
    await run(writeTinyOccurrence(model, 'float16'), place),
  );
});
