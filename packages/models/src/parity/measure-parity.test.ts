import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelManifest } from '@chiffchaff/recognizer';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, expect, it } from 'vitest';
import { modelFolderOf, readModelFolder, verifyModelFolder } from '../install/model-folder.ts';
import { measureParity, type ParityResult, type ParityRunner } from './measure-parity.ts';

const repository = new URL('../../../../', import.meta.url);
const fixtures = fileURLToPath(new URL('../shared/fixtures/parity', repository));
const installed = modelFolderOf(fileURLToPath(new URL('data', repository)), 'birdnet-v2.4');

function answers(command: string): boolean {
  try {
    execFileSync(command, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const missingModel = existsSync(installed)
  ? null
  : 'no model is installed in data/models; "npm run model -- install" installs it';
const missing =
  missingModel ??
  (existsSync(fixtures) ? null : 'the folder ../shared/fixtures/parity is not there') ??
  (answers('ffmpeg') ? null : 'ffmpeg, which decodes the reference recordings, is not on PATH');

let results: readonly ParityResult[] = [];
let webResults: readonly ParityResult[] | null = null;

beforeAll(async () => {
  if (missing !== null) return;
  const options: InferenceSession.SessionOptions = {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const { manifest, web } = await readModelFolder(installed);
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
  results = await measureParity({
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
  if (web !== null) {
    webResults = await measureParity({ fixtures, build: 'web', runner: { logits: await logitsOf(web), occurrence: null } });
  }
});

it.for([
  ['soundscape', 40],
  ['recordings', 27],
  ['equal samples', 3],
  ['edge', 7],
  ['occurrence', 58],
] as const)('the converted model agrees with the reference on %s, all %i rows', ([set, rows], { skip }) => {
  if (missing !== null) skip(missing);
  const result = results.find((candidate) => candidate.set === set);
  expect(result).toMatchObject({ rows, sameFirst: rows, wrongCounts: 0, passed: true });
  expect(result?.scoreDifference).toBeGreaterThan(0);
});

it.for([
  ['soundscape', 40],
  ['recordings', 27],
  ['equal samples', 3],
  ['edge', 7],
] as const)('the model for browsers differs as little as smaller weights allow on %s, all %i rows', ([set, rows], { skip }) => {
  if (missing !== null) skip(missing);
  if (webResults === null) skip(missingWeb);
  const result = webResults?.find((candidate) => candidate.set === set);
  expect(result).toMatchObject({ rows, sameFirst: rows, passed: true });
  expect(result?.scoreDifference).toBeGreaterThan(1e-4);
});

/** Conversion gives the same bytes everywhere. When they change, `CONVERTER_VERSION` must too, or installed models stay outdated. */
const knownHashes = {
  audio: '1fa984c389f43358fda35edb58d11172ab16908600b1be1ff528a9495103e24b',
  occurrence: '87924613b51067f927d8f56cd181bc4f014d757eb758290d9b3254ee4efceaed',
  web: 'c38cbc3f2b77e50dbb7d34c095e23ed4af395edf47bf090e8f7f5a0b9b607ec5',
};
const missingWeb = 'an earlier version has installed the model; "npm run model -- install" adds the one for browsers';
const MOST_WEB_BYTES = 21e6;

it('the installed graphs are those that this version of the converter is known to write', async ({ skip }) => {
  if (missingModel !== null) skip(missingModel);
  const model = await readModelFolder(installed);
  await verifyModelFolder(model);
  const { manifest, web } = model;
  if (web === null) skip(missingWeb);
  const { audio, occurrence } = manifest;
  expect({ audio: audio.sha256, occurrence: occurrence?.sha256, web: web?.audio.sha256 }).toEqual(knownHashes);
});

it('the model for browsers is small enough to be fetched', async ({ skip }) => {
  if (missingModel !== null) skip(missingModel);
  const { folder, web } = await readModelFolder(installed);
  if (web === null) skip(missingWeb);
  const files = [web?.audio.file, web?.audio.weights?.file].map((name) => stat(join(folder, name ?? '')));
  const bytes = (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(MOST_WEB_BYTES);
  expect(bytes).toBeGreaterThan(MOST_WEB_BYTES / 2);
});
