import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { modelFolderOf, readModelFolder, verifyModelFolder } from '../install/model-folder.ts';
import { measureParity, type ParityResult } from './measure-parity.ts';

const fixtures = sharedPath('fixtures/parity');
const installed = modelFolderOf(join(import.meta.dirname, '../../../../data'), 'birdnet-v2.4');

const MEASURING_TIMEOUT_MS = 120_000;
/** Measured once, by the first test that asks. */
let measured: Promise<readonly ParityResult[]> | undefined;

async function measure() {
  const options: InferenceSession.SessionOptions = {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const { manifest } = await readModelFolder(installed);
  const { audio } = manifest;
  const session = await InferenceSession.create(join(installed, audio.file), options);
  const occurrence = await InferenceSession.create(join(installed, manifest.occurrence?.file ?? ''), options);
  const numbers = (data: Tensor['data'] | undefined): Float32Array => {
    if (data instanceof Float32Array) return data;
    throw new Error('the model gave no float32 numbers');
  };
  return measureParity({
    fixtures,
    build: 'full',
    runner: {
      logits: async (samples) => {
        const input = new Tensor('float32', samples, [1, samples.length]);
        return numbers((await session.run({ [audio.inputName]: input }))[audio.logitsName]?.data);
      },
      occurrence: async (place) => {
        const input = new Tensor('float32', place, [1, place.length]);
        return numbers(
          (await occurrence.run({ [manifest.occurrence?.inputName ?? '']: input }))[manifest.occurrence?.scoresName ?? '']?.data,
        );
      },
    },
  });
}

it.for([
  ['soundscape', 40],
  ['recordings', 27],
  ['equal samples', 3],
  ['edge', 7],
  ['occurrence', 58],
] as const)(
  'The converted model agrees with the reference on %s, all %i rows',
  { timeout: MEASURING_TIMEOUT_MS },
  async ([set, rows], context) => {
    needsSharedFolder(context);
    measured ??= measure();
    const result = (await measured).find((candidate) => candidate.set === set);
    expect(result).toMatchObject({ rows, sameFirst: rows, wrongCounts: 0, passed: true });
    expect(result?.scoreDifference).toBeGreaterThan(0);
  },
);

/** Conversion gives the same bytes everywhere. When they change, `CONVERTER_VERSION` must too, or installed models stay outdated. */
const knownHashes = {
  audio: '90bc02bf8fb29fa6693f250eadad895d58bc153930e51858bc33f54e0f42d92b',
  occurrence: '21797136b321b014feb2a89b7310da7fe38c02f9574b625f687b4b52049f3dff',
  webAudio: '5d516f704d2df3e383402a5468fa34571208b9ad352bb566af19c51b14a674d2',
};
const MOST_WEB_BYTES = 21e6;

it('The hashes of the installed graphs are those that this version of the converter writes', async () => {
  const model = await readModelFolder(installed);
  await verifyModelFolder(model);
  const { audio, webAudio, occurrence } = model.manifest;
  expect({ audio: audio.sha256, webAudio: webAudio.sha256, occurrence: occurrence?.sha256 }).toEqual(knownHashes);
});

it('The model for browsers is small enough to be downloaded by a page', async () => {
  const { folder, manifest } = await readModelFolder(installed);
  const files = [manifest.webAudio, manifest.webAudio.weights].map(({ file }) => stat(join(folder, file)));
  const bytes = (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(MOST_WEB_BYTES);
  expect(bytes).toBeGreaterThan(MOST_WEB_BYTES / 2);
});
