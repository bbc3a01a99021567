import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { measureParity, modelFolderOf, type ParityResult } from '@chiffchaff/models';
import { createWorkerPool, readModelFolder } from '@chiffchaff/recognizer/node';
import { InputError } from '../command-error.ts';
import type { Config } from '../config.ts';

/** Runs the installed model on the reference's clips and places, one at a time, as the reference was computed. */
export async function runParity(config: Config, fixtures: string, signal: AbortSignal): Promise<ParityResult[]> {
  await access(join(fixtures, 'soundscape.json')).catch((cause: unknown) => {
    throw new InputError(`There are no reference outputs in ${fixtures}. Say where they are with --fixtures.`, { cause });
  });
  const modelFolder = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
  const pool = await createWorkerPool({ modelFolder, workers: 1, maxBatchClips: 1 });
  const job = pool.openJob(signal);
  try {
    return await measureParity({
      fixtures,
      signal,
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
