import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { bodyBytes, widenBody } from '@chiffchaff/recognizer';
import { createFrontEnd } from '@chiffchaff/recognizer/audio';
import { type CreateLiteRt, openTflite } from '@chiffchaff/recognizer/litert';
import { expect, it } from 'vitest';
import { createNumbers, createTinyWeights, tinySizes, writeTinyBirdnet } from '../testing/tiny-birdnet.ts';
import { tinyLogits } from '../testing/tiny-reference.ts';
import { convertBirdnetWebAudio, type WebModel } from './convert.ts';
import { cutAudioModel } from './convert-body.ts';
import { readTflite } from './tflite-reader.ts';
import { createTfliteWriter } from './tflite-writer.ts';

const require = createRequire(import.meta.url);

/** LiteRT's script hands over what it defines as a module of AMD, where it is neither bundled nor CommonJS. */
async function createLiteRt(): Promise<CreateLiteRt> {
  let create: CreateLiteRt | undefined;
  const define = (_: readonly string[], make: () => CreateLiteRt): void => {
    create = make();
  };
  Object.assign(globalThis, { require, __dirname: import.meta.dirname, define: Object.assign(define, { amd: true }) });
  await import(require.resolve('@litertjs/core/wasm/litert_wasm_internal.js'));
  if (create === undefined) throw new Error('the script defined nothing');
  return create;
}

const createModule = createLiteRt();
const wasm = readFile(require.resolve('@litertjs/core/wasm/litert_wasm_internal.wasm'));

async function logitsOf(
  bytes: number,
  write: (body: Uint8Array) => void,
  { frontEnd }: Pick<WebModel['graph'], 'frontEnd'>,
  clip: Float32Array,
) {
  const model = await openTflite(await createModule, new Uint8Array(await wasm).buffer, bytes, write);
  const writeSpectrogram = createFrontEnd(frontEnd, tinySizes.samples);
  return model.run((spectrogram) => writeSpectrogram(clip, spectrogram));
}

const worst = (found: Float32Array, expected: readonly number[]): number =>
  Math.max(...expected.map((value, index) => Math.abs(value - (found[index] ?? Number.NaN))));

const noise = createNumbers(11)(tinySizes.samples);
const tone = Float32Array.from({ length: tinySizes.samples }, (_, n) => 0.3 * Math.sin(n / 3) + 0.1);
const file = writeTinyBirdnet(createTinyWeights());

it.for([
  ['noise', noise],
  ['a tone', tone],
] as const)(
  'The audio model cut in two for browsers produces the logits that a computation layer by layer gives, for %s',
  async ([, clip]) => {
    const cut = cutAudioModel(readTflite(file));
    const found = await logitsOf(cut.body.byteLength, (body) => body.set(cut.body), cut, clip);
    expect(found).toHaveLength(tinySizes.classes);
    expect(worst(found, tinyLogits(createTinyWeights(), clip).logits)).toBeLessThan(1e-4);
  },
);

it('The audio model for browsers changes logits by less than 0.05, in less than two thirds of the bytes', async () => {
  const { graph, weights } = convertBirdnetWebAudio(file);
  const stored = new Uint8Array(Buffer.concat(weights));
  const found = await logitsOf(bodyBytes(graph.body), (body) => widenBody(graph.body, stored, body), graph, noise);
  const difference = worst(found, tinyLogits(createTinyWeights(), noise).logits);
  expect(difference).toBeLessThan(0.05);
  expect(difference).toBeGreaterThan(1e-4);
  expect(stored.byteLength).toBeLessThan(bodyBytes(graph.body));
});

it('Cutting the audio model for browsers at its first convolution refuses a graph without one with GRAPH_UNEXPECTED', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 8]);
  const other = tiny.finish([input], [tiny.operator(14, [input], [1, 8])]);
  expect(() => cutAudioModel(readTflite(other))).toThrow(expect.objectContaining({ code: 'GRAPH_UNEXPECTED' }));
});
