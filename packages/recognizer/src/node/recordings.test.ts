/** The real model on public recordings: its answers must be those of the recognition design, within 0.01. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clipCountOf, passageCountOf } from '../detection/evidence/evidence.ts';
import { createRecognizer, type Recognizer } from '../recognizer.ts';
import { noise, samplesOf } from '../testing/fake-sound.ts';
import { type ModelFolder, readModelFolder } from './model-folder.ts';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';

const modelFolder = join(import.meta.dirname, '../../../../data/models/birdnet-v2.4');

const answersSchema = z.object({
  recordings: z.array(
    z.object({
      file: z.string(),
      clips: z.number(),
      answers: z.array(
        z.object({
          place: z.object({ latitude: z.number(), longitude: z.number(), week: z.number() }).nullable(),
          passages: z.number(),
          top: z.array(z.object({ scientificName: z.string(), confidence: z.number(), score: z.number() })),
        }),
      ),
    }),
  ),
});

/** Mono samples at the model's rate. */
async function* decode(file: string, sampleRate: number): AsyncGenerator<Float32Array, void> {
  const ffmpeg = spawn(
    'ffmpeg',
    ['-nostdin', '-loglevel', 'error', '-i', file, '-f', 'f32le', '-ar', `${sampleRate}`, '-ac', '1', 'pipe:1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of ffmpeg.stdout) {
    const bytes = Buffer.concat([rest, z.instanceof(Uint8Array).parse(chunk)]);
    const whole = bytes.length - (bytes.length % Float32Array.BYTES_PER_ELEMENT);
    rest = bytes.subarray(whole);
    yield new Float32Array(new Uint8Array(bytes.subarray(0, whole)).buffer);
  }
}

describe('The model on public recordings', () => {
  let folder: ModelFolder;
  let pool: WorkerPool;
  let recognizer: Recognizer;

  beforeAll(async () => {
    folder = await readModelFolder(modelFolder);
    pool = await openWorkerPool({ modelFolder: folder, workers: 2 });
    recognizer = createRecognizer({ ...folder, runner: pool });
  });
  afterAll(async () => pool?.close());

  const listenTo = (file: string, options: { signal?: AbortSignal } = {}) =>
    recognizer.collectEvidence(decode(sharedPath(file), folder.manifest.audio.sampleRate), options);

  it('gives the expected species of each recording, with and without a place, by the rule for the surest bird', async (context) => {
    needsSharedFolder(context);
    const calibration = { ...folder.manifest.calibration, furtherBirds: null };
    const alike = createRecognizer({ ...folder, manifest: { ...folder.manifest, calibration }, runner: pool });
    const { recordings } = answersSchema.parse(JSON.parse(readFileSync(sharedPath('fixtures/answers/recordings.json'), 'utf8')));
    expect(recordings).not.toEqual([]);
    for (const { file, clips, answers } of recordings) {
      const evidence = await listenTo(file);
      expect(clipCountOf(evidence), file).toBe(clips);
      for (const { place, passages, top } of answers) {
        expect(passageCountOf(evidence), file).toBe(passages);
        const week = place && place.week >= 1 ? place.week : null;
        const occurrence = place && (await pool.occurrence({ ...place, week }));
        // A few more than the expected ones: near-equal ones may come in another order.
        const { candidates } = alike.conclude(evidence, { occurrence, top: top.length + 3 });
        expect(candidates[0]?.scientificName, file).toBe(top[0]?.scientificName);
        for (const { scientificName, confidence, score } of top) {
          // Far down the list, dozens are equally unlikely; one that is missing is no better than the last one listed.
          const found = candidates.find((candidate) => candidate.scientificName === scientificName) ?? candidates.at(-1);
          const about = `${scientificName} in ${file}`;
          expect(Math.abs((found?.confidence ?? -1) - confidence), about).toBeLessThanOrEqual(0.01);
          expect(Math.abs((found?.score ?? -1) - score), about).toBeLessThanOrEqual(0.01);
        }
      }
    }
  });

  it('finds no bird in digital silence, and says that the recording is silent', async () => {
    async function* silence() {
      yield new Float32Array(10 * folder.manifest.audio.sampleRate);
    }
    const answer = recognizer.conclude(await recognizer.collectEvidence(silence()), { occurrence: null, minScore: 0 });
    expect(answer).toMatchObject({ verdict: { kind: 'noBird' }, candidates: [], detections: [], otherSounds: [] });
    expect(answer.checkUp).toEqual([{ code: 'SILENT', share: 1 }]);
  });

  it('finds no bird in white noise of any level, and says that the recording is steady noise', async () => {
    const rate = folder.manifest.audio.sampleRate;
    for (const amplitude of [20, 200, 2000, 20_000]) {
      async function* whiteNoise() {
        const samples = samplesOf(noise(amplitude, amplitude), 10, rate);
        yield samples.map((sample) => Math.round(sample) / 32_768);
      }
      const evidence = await recognizer.collectEvidence(whiteNoise());
      for (const occurrence of [null, await pool.occurrence({ latitude: 52.45, longitude: 13.3, week: 39 })]) {
        const answer = recognizer.conclude(evidence, { occurrence });
        expect(answer, `${amplitude}`).toMatchObject({ verdict: { kind: 'noBird' }, isClearlyNoBird: true, detections: [] });
        expect(answer.checkUp, `${amplitude}`).toContainEqual({ code: 'STEADY_NOISE', share: 1 });
      }
    }
  });

  it('gives a high occurrence to a species where it lives, and a low one where it does not', async () => {
    const scores = await pool.occurrence({ latitude: 50.8, longitude: 12.9, week: null });
    const occurrenceOf = (name: string) =>
      scores[folder.species.labels.findIndex((label) => label.scientificName === name)] ?? Number.NaN;
    expect(occurrenceOf('Parus major')).toBeGreaterThan(0.5);
    expect(occurrenceOf('Cardinalis cardinalis')).toBeLessThan(0.002);
  });

  it('gives the same occurrences for several places at once as one by one', async () => {
    const places = [50.8, -33, 61.5].map((latitude) => ({ latitude, longitude: 18.4, week: null }));
    const rows = await pool.occurrences(places);
    const count = folder.species.labels.length;
    for (const [index, place] of places.entries()) {
      const alone = await pool.occurrence(place);
      const apart = rows
        .subarray(index * count, (index + 1) * count)
        .map((value, label) => Math.abs(value - (alone[label] ?? 1)));
      expect(Math.max(...apart)).toBeLessThan(1e-5);
    }
  });

  it('gives occurrences without the audio model, and then refuses to analyse clips', async () => {
    const placesOnly = await openWorkerPool({ modelFolder: folder, workers: 0 });
    const place = { latitude: 50.8, longitude: 12.9, week: null };
    expect(await placesOnly.occurrence(place)).toEqual(await pool.occurrence(place));
    const { manifest, species } = folder;
    const deaf = createRecognizer({ manifest, species, runner: placesOnly });
    async function* noise() {
      yield new Float32Array(4 * manifest.audio.sampleRate).fill(0.1);
    }
    await expect(deaf.collectEvidence(noise())).rejects.toMatchObject({ code: 'INFERENCE_FAILED' });
    await placesOnly.close();
  });

  it('stops within half a second when it is cancelled', async () => {
    const controller = new AbortController();
    async function* hours() {
      for (;;) yield new Float32Array(folder.manifest.audio.sampleRate).fill(0.1);
    }
    let cancelledAt = 0;
    const evidence = recognizer.collectEvidence(hours(), {
      signal: controller.signal,
      onProgress: ({ analysedClips }) => {
        if (analysedClips !== 10) return;
        // biome-ignore lint/plugin: measures; to become a row of a benchmark
        cancelledAt = performance.now();
        controller.abort();
      },
    });
    await expect(evidence).rejects.toMatchObject({ name: 'AbortError' });
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - cancelledAt).toBeLessThan(500);
    expect(pool.waitingClips).toBe(0);
  });

  it('is refused if its graph has other outputs than it has labels', async () => {
    const { manifest } = folder;
    const other = { ...folder, manifest: { ...manifest, labels: { ...manifest.labels, count: 6521 } } };
    await expect(openWorkerPool({ modelFolder: other, workers: 1 })).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      details: { found: '6522 outputs a clip', expected: '6521 labels' },
    });
    const unnamed = { ...folder, manifest: { ...manifest, audio: { ...manifest.audio, logitsName: 'scores' } } };
    await expect(openWorkerPool({ modelFolder: unnamed, workers: 1 })).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      details: { expected: 'output scores' },
    });
  });

  it('is refused if its weights have changed since its folder was opened', async () => {
    const { manifest } = folder;
    const { audio } = manifest;
    const expected = { ...audio, weights: { ...audio.weights, sha256: '0'.repeat(64) } };
    const other = { ...folder, manifest: { ...manifest, audio: expected } };
    await expect(openWorkerPool({ modelFolder: other, workers: 1 })).rejects.toMatchObject({
      code: 'MODEL_UNREADABLE',
      cause: expect.stringContaining('audio.onnx.data has changed since it was installed'),
    });
  });

  it('is refused if its graph is missing', async () => {
    await expect(openWorkerPool({ modelFolder: { ...folder, path: '/nowhere' }, workers: 2 })).rejects.toMatchObject({
      code: 'MODEL_UNREADABLE',
      details: { file: 'audio.onnx' },
    });
  });
});
