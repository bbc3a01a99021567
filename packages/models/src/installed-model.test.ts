import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openModelFolder, openWorkerPool } from '@chiffchaff/recognizer/node';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { expect, it } from 'vitest';
import { modelFolderOf, readModelFolder, verifyModelFolder } from './install/model-folder.ts';
import { measureParity, type ParityResult } from './testing/parity/measure-parity.ts';

const fixtures = sharedPath('fixtures/parity');
const installed = modelFolderOf(join(import.meta.dirname, '../../../data'), 'birdnet-v2.4');

const MEASURING_TIMEOUT_MS = 120_000;
/** Measured once, by the first test that asks. */
let measured: Promise<readonly ParityResult[]> | undefined;

/** Runs the server's models one clip at a time, as the reference was computed. */
async function measure(): Promise<ParityResult[]> {
  const pool = await openWorkerPool({ modelFolder: await openModelFolder(installed), workers: 1, maxBatchClips: 1 });
  const job = pool.openJob();
  try {
    return await measureParity({
      fixtures,
      build: 'full',
      runner: {
        logits: async (samples) => {
          const slot = job.take();
          slot.samples.set(samples);
          await job.run(slot);
          const logits = Float32Array.from(slot.outputs);
          job.release(slot);
          return logits;
        },
        occurrence: ([latitude = 0, longitude = 0, week = 0]) => pool.occurrence({ latitude, longitude, week }),
      },
    });
  } finally {
    job.close();
    await pool.close();
  }
}

it.for([
  ['soundscape', 40],
  ['recordings', 27],
  ['equal samples', 3],
  ['edge', 7],
  ['occurrence', 58],
] as const)(
  'The converted model agrees with the original model on the reference data “%s”, all %i rows',
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

it('The hashes of the graphs of the installed model are those that this version of the converter writes', async () => {
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
