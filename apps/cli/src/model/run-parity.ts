import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { measureParity, modelFolderOf, type ParityBuild, type ParityResult } from '@chiffchaff/models';
import { forBrowsers } from '@chiffchaff/recognizer';
import { type ModelFolder, openWorkerPool, readModelFolder } from '@chiffchaff/recognizer/node';
import { InputError } from '../command-error.ts';
import type { Config } from '../config.ts';

/** Runs the installed models on the reference's clips and places, one at a time, as the reference was computed. */
export async function runParity(config: Config, fixtures: string, signal: AbortSignal): Promise<ParityResult[]> {
  await access(join(fixtures, 'soundscape.json')).catch((cause: unknown) => {
    throw new InputError(`There are no reference outputs in ${fixtures}. Use --fixtures to give their folder.`, { cause });
  });
  const model = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
  return [
    ...(await runBuild(model, 'full', fixtures, signal)),
    ...(await runBuild({ ...model, manifest: forBrowsers(model.manifest) }, 'web', fixtures, signal)),
  ];
}

async function runBuild(
  modelFolder: ModelFolder,
  build: ParityBuild,
  fixtures: string,
  signal: AbortSignal,
): Promise<ParityResult[]> {
  const pool = await openWorkerPool({ modelFolder, workers: 1, maxBatchClips: 1 });
  const job = pool.openJob(signal);
  const occurrence = ([latitude = 0, longitude = 0, week = 0]: Float32Array) => pool.occurrence({ latitude, longitude, week });
  try {
    return await measureParity({
      fixtures,
      signal,
      build,
      runner: {
        logits: async (samples) => {
          const slot = job.take();
          slot.samples.set(samples);
          await job.run(slot);
          const logits = Float32Array.from(slot.outputs);
          job.release(slot);
          return logits;
        },
        occurrence: build === 'full' ? occurrence : null,
      },
    });
  } finally {
    job.close();
    await pool.close();
  }
}
