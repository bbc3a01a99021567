import { InferenceSession, type InferenceSession as Session, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { createNumbers, createTinyWeights, tinySizes, writeTinyBirdnet } from '../testing/tiny-birdnet.ts';
import { tinyLogits } from '../testing/tiny-reference.ts';
import { convertAudioModel } from './convert-audio.ts';
import { encodeOnnx } from './onnx-writer.ts';
import type { AudioForm } from './spectrogram.ts';
import { readTflite } from './tflite-reader.ts';
import { createTfliteWriter } from './tflite-writer.ts';

const forms: readonly AudioForm[] = ['plain', 'fast'];

async function load(form: AudioForm): Promise<Session> {
  const { graph } = encodeOnnx(convertAudioModel(readTflite(writeTinyBirdnet(createTinyWeights())), form));
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

describe.each(forms)('The converted audio model, %s variant,', (form) => {
  it('produces the logits and embedding that a computation layer by layer gives', async () => {
    const found = await run(await load(form), [noise]);
    const expected = tinyLogits(createTinyWeights(), noise);
    expect(worst(found.logits[0], expected.logits)).toBeLessThan(1e-4);
    expect(worst(found.embedding[0], expected.embedding)).toBeLessThan(1e-4);
  });

  it('produces the same outputs for a clip alone and in a batch', async () => {
    const session = await load(form);
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

it('The conversion of the audio model splits long kernels only in its fast variant, and only if few basis waves make them up', () => {
  const kernels = (form: AudioForm) =>
    convertAudioModel(readTflite(writeTinyBirdnet(createTinyWeights())), form)
      .tensors.filter(({ name }) => name.startsWith('mel_') && !name.endsWith('_exponent'))
      .map(({ name }) => name);
  expect(kernels('plain')).toEqual(['mel_128_16_kernels', 'mel_32_24_kernels']);
  expect(kernels('fast')).toEqual(['mel_128_16_waves', 'mel_128_16_mix', 'mel_32_24_kernels']);
});

it('The conversion of the audio model gives the same outputs in both variants where a mel value is exactly 0', async () => {
  const weights = createTinyWeights();
  const [first, second] = weights.branches;
  const silent = { ...weights, branches: [{ ...first, mel: first.mel.map(() => 0) }, second] as const };
  const results = forms.map(async (form) => {
    const { graph } = encodeOnnx(convertAudioModel(readTflite(writeTinyBirdnet(silent)), form));
    const session = await InferenceSession.create(Buffer.concat(graph), { graphOptimizationLevel: 'all' });
    return (await run(session, [noise])).logits[0] ?? [];
  });
  const [plain = [], fast = []] = await Promise.all(results);
  expect(plain.every(Number.isFinite)).toBe(true);
  expect(worst(fast, plain)).toBeLessThan(1e-5);
  expect(worst(fast, tinyLogits(silent, noise).logits)).toBeLessThan(1e-4);
});

it('The conversion of the audio model refuses a custom operator by its name', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 8]);
  const file = tiny.finish([input], [tiny.customOperator('FlexErf', [input], [1, 8])]);
  expect(() => convertAudioModel(readTflite(file), 'fast')).toThrow('custom operator FlexErf');
});

it('The conversion of the audio model refuses known operators in another order with GRAPH_UNEXPECTED', () => {
  const tiny = createTfliteWriter();
  const input = tiny.computed([1, 8]);
  const file = tiny.finish([input], [tiny.operator(14, [input], [1, 8])]);
  expect(() => convertAudioModel(readTflite(file), 'fast')).toThrow(expect.objectContaining({ code: 'GRAPH_UNEXPECTED' }));
});
