import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, expect, it } from 'vitest';
import { modelFolderOf, readModelFolder, verifyModelFolder } from '../install/model-folder.ts';
import { measureParity, type ParityResult } from './measure-parity.ts';

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

beforeAll(async () => {
  if (missing !== null) return;
  const options: InferenceSession.SessionOptions = {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const { manifest } = await readModelFolder(installed);
  const audio = await InferenceSession.create(join(installed, manifest.audio.file), options);
  const occurrence = await InferenceSession.create(join(installed, manifest.occurrence?.file ?? ''), options);
  const numbers = (data: Tensor['data'] | undefined): Float32Array => {
    if (data instanceof Float32Array) return data;
    throw new Error('the model gave no float32 numbers');
  };
  results = await measureParity({
    fixtures,
    runner: {
      logits: async (samples) => {
        const input = new Tensor('float32', samples, [1, samples.length]);
        return numbers((await audio.run({ [manifest.audio.inputName]: input }))[manifest.audio.logitsName]?.data);
      },
      occurrence: async (place) => {
        const input = new Tensor('float32', place, [1, place.length]);
        return numbers(
          (await occurrence.run({ [manifest.occurrence?.inputName ?? '']: input }))[manifest.occurrence?.scoresName ?? '']?.data,
        );
      },
    },
  });
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

/** Conversion gives the same bytes everywhere. When they change, so must `converterVersion`, or installed models stay behind. */
const knownHashes = {
  audio: '1fa984c389f43358fda35edb58d11172ab16908600b1be1ff528a9495103e24b',
  occurrence: '87924613b51067f927d8f56cd181bc4f014d757eb758290d9b3254ee4efceaed',
};

it('the installed graphs are those that this version of the converter is known to write', async ({ skip }) => {
  if (missingModel !== null) skip(missingModel);
  const model = await readModelFolder(installed);
  await verifyModelFolder(model);
  const { audio, occurrence } = model.manifest;
  expect({ audio: audio.sha256, occurrence: occurrence?.sha256 }).toEqual(knownHashes);
});
