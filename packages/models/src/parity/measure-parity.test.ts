import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { forBrowsers, type ModelManifest } from '@chiffchaff/recognizer';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { modelFolderOf, readModelFolder, verifyModelFolder } from '../install/model-folder.ts';
import { measureParity, type ParityResult, type ParityRunner } from './measure-parity.ts';

const fixtures = sharedPath('fixtures/parity');
const installed = modelFolderOf(join(import.meta.dirname, '../../../../data'), 'birdnet-v2.4');

const MEASURING_TIMEOUT_MS = 120_000;
/** Results of both builds of the model: measured once, by the first test that asks. */
let measured: Promise<{ readonly full: readonly ParityResult[]; readonly web: readonly ParityResult[] }> | undefined;

async function measure() {
  const options: InferenceSession.SessionOptions = {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const { manifest } = await readModelFolder(installed);
  const logitsOf = async ({ audio }: ModelManifest): Promise<ParityRunner['logits']> => {
    const session = await InferenceSession.create(join(installed, audio.file), options);
    return async (samples) => {
      const input = new Tensor('float32', samples, [1, samples.length]);
      return numbers((await session.run({ [audio.inputName]: input }))[audio.logitsName]?.data);
    };
  };
  const occurrence = await InferenceSession.create(join(installed, manifest.occurrence?.file ?? ''), options);
  const numbers = (data: Tensor['data'] | undefined): Float32Array => {
    if (data instanceof Float32Array) return data;
    throw new Error('the model gave no float32 numbers');
  };
  const full = await measureParity({
    fixtures,
    build: 'full',
    runner: {
      logits: await logitsOf(manifest),
      occurrence: async (place) => {
        const input = new Tensor('float32', place, [1, place.length]);
        return numbers(
          (await occurrence.run({ [manifest.occurrence?.inputName ?? '']: input }))[manifest.occurrence?.scoresName ?? '']?.data,
        );
      },
    },
  });
  const runner = { logits: await logitsOf(forBrowsers(manifest)), occurrence: null };
  return { full, web: await measureParity({ fixtures, build: 'web', runner }) };
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
    const result = (await measured).full.find((candidate) => candidate.set === set);
    expect(result).toMatchObject({ rows, sameFirst: rows, wrongCounts: 0, passed: true });
    expect(result?.scoreDifference).toBeGreaterThan(0);
  },
);

it.for([
  ['soundscape', 40],
  ['recordings', 27],
  ['equal samples', 3],
  ['edge', 7],
] as const)(
  'The model for browsers differs from the reference only as much as smaller weights allow on %s, all %i rows',
  { timeout: MEASURING_TIMEOUT_MS },
  async ([set, rows], context) => {
    needsSharedFolder(context);
    measured ??= measure();
    const result = (await measured).web.find((candidate) => candidate.set === set);
    expect(result).toMatchObject({ rows, sameFirst: rows, passed: true });
    expect(result?.scoreDifference).toBeGreaterThan(1e-4);
  },
);

/** Conversion gives the same bytes everywhere. When they change, `CONVERTER_VERSION` must too, or installed models stay outdated. */
const knownHashes = {
  audio: '1fa984c389f43358fda35edb58d11172ab16908600b1be1ff528a9495103e24b',
  occurrence: '87924613b51067f927d8f56cd181bc4f014d757eb758290d9b3254ee4efceaed',
  webAudio: 'c38cbc3f2b77e50dbb7d34c095e23ed4af395edf47bf090e8f7f5a0b9b607ec5',
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
