import { InferenceSession, type InferenceSession as Session, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { createNumbers, createTinyWeights, tinySizes, writeTinyBirdnet } from '../testing/tiny-birdnet.ts';
import { tinyLogits } from '../testing/tiny-reference.ts';
import { convertAudioModel } from './convert-audio.ts';
import { encodeOnnx } from './onnx-writer.ts';
import { readTflite } from './tflite-reader.ts';
import { createTfliteWriter } from './tflite-writer.ts';

async function load(weights = createTinyWeights()): Promise<Session> {
  const { graph } = encodeOnnx(convertAudioModel(readTflite(writeTinyBirdnet(weights))));
  return InferenceSession.create(Buffer.concat(graph), { graphOptimizationLevel: 'all', intraOpNumThreads: 1 });
}

async function run(session: Session, clips: readonly Float32Array[]) {
  const samples = Float32Array.from(clips.flatMap((clip) => [...clip]));
  const outputs = await session.run({ samples: new Tensor('float32', samples, [clips.length, tinySizes.samples]) });
  const rows = (name: string, size: number): number[][] => {
    const { data } = outputs[name] ?? { data: [] };
    return clips.map((_, clip) => [...data].map(Number).slice(clip * size, (clip + 1) * size));
  };
  return { logits: rows('logits', tinySizes.classes), embedding: rows('embedding', tinySizes.embedding) };
}

const worst = (found: readonly number[] | undefined, expected: readonly number[]): number =>
  Math.max(...expected.map((value, index) => Math.abs(value - (found?.[index] ?? Number.NaN))));

const noise = createNumbers(11)(tinySizes.samples);
const tone = Float32Array.from({ length: tinySizes.samples }, (_, n) => 0.3 * Math.sin(n / 3) + 0.1);

describe('The converted audio model', () => {
  it('produces the logits and embedding that a computation layer by layer gives', async () => {
    const found = await run(await load(), [noise]);
    const expected = tinyLogits(createTinyWeights(), noise);
    expect(worst(found.logits[0], expected.logits)).toBeLessThan(1e-4);
    expect(worst(found.embedding[0], expected.embedding)).toBeLessThan(1e-4);
  });

  it('produces the same outputs for a clip alone and in a batch', async () => {
    const session = await load();
    const [together, first, second] = [
      await run(session, [noise, tone]),
      await run(session, [noise]),
      await run(session, [tone]),
    ];
    expect(worst(together.logits[0], first.logits[0] ?? [])).toBeLessThan(1e-5);
    expect(worst(together.logits[1], second.logits[0] ?? [])).toBeLessThan(1e-5);
    expect(worst(first.logits[0], second.logits[0] ?? [])).toBeGreaterThan(1e-2);
  });
});

it('The conversion of the audio model splits long kernels only if few basis waves make them up', () => {
  const kernels = convertAudioModel(readTflite(writeTinyBirdnet(createTinyWeights())))
    .tensors.filter(({ name }) => name.startsWith('mel_') && !name.endsWith('_exponent'))
    .map(({ name }) => name);
  expect(kernels).toEqual(['mel_128_16_waves', 'mel_128_16_mix', 'mel_32_24_kernels']);
});

it('The converted audio model gives the same outputs as the computation layer by layer where a mel value is exactly 0', async () => {
  const weights = createTinyWeights();
  const [first, second] = weights.branches;
  const silent = { ...weights, branches: [{ ...first, mel: first.mel.map(() => 0) }, second] as const };
  const [found = []] = (await run(await load(silent), [noise])).logits;
  expect(found.every(Number.isFinite)).toBe(true);
  expect(worst(found, tinyLogits(silent, noise).logits)).toBeLessThan(1e-4);
});

it('The conversion of the audio model refuses an unknown operator by its code', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 8]);
  const file = tiny.finish([input], [tiny.operator(32, [input], [1, 8])]);
  expect(() => convertAudioModel(readTflite(file))).toThrow('builtin operator 32');
});

it('The conversion of the audio model refuses known operators in another order with GRAPH_UNEXPECTED', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 8]);
  const file = tiny.finish([input], [tiny.operator(14, [input], [1, 8])]);
  expect(() => convertAudioModel(readTflite(file))).toThrow(expect.objectContaining({ code: 'GRAPH_UNEXPECTED' }));
});
