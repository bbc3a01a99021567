import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { measureParity, modelFolderOf, type ParityResult } from '@chiffchaff/models';
import { openWorkerPool, readModelFolder } from '@chiffchaff/recognizer/node';
import { InputError } from '../command-error.ts';
import type { Config } from '../config.ts';

/**
 * Runs the server's models on the reference's clips and places, one at a time, as the reference was computed. The build for browsers runs only there:
 * `e2e/on-device.test.ts`.
 */
export async function runParity(config: Config, fixtures: string, signal: AbortSignal): Promise<ParityResult[]> {
  await access(join(fixtures, 'soundscape.json')).catch((cause: unknown) => {
    throw new InputError(`There are no reference outputs in ${fixtures}. Use --fixtures to give their folder.`, { cause });
  });
  const model = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
  const pool = await openWorkerPool({ modelFolder: model, workers: 1, maxBatchClips: 1 });
  const job = pool.openJob(signal);
  const occurrence = ([latitude = 0, longitude = 0, week = 0]: Float32Array) => pool.occurrence({ latitude, longitude, week });
  try {
    return await measureParity({
      fixtures,
      signal,
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
        occurrence,
      },
    });
  } finally {
    job.close();
    await pool.close();
  }
}
