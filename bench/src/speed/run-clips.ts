import { type ModelFolder, openWorkerPool, type WorkerPool } from '@chiffchaff/recognizer/node';
import type { MeasureClips } from './measure-clips.ts';

const WARM_UP_CLIPS = 8;

/** Runs clips of noise through worker pools, which stay open between runs. */
export function createClipMeter(
  modelFolder: ModelFolder,
  signal: AbortSignal,
): { measure: MeasureClips; close: () => Promise<void> } {
  const pools = new Map<number, WorkerPool>();
  const poolOf = async (workers: number): Promise<WorkerPool> => {
    const open = pools.get(workers);
    if (open) return open;
    const pool = await openWorkerPool({ modelFolder, workers });
    pools.set(workers, pool);
    await runClips(pool, WARM_UP_CLIPS * workers, signal);
    return pool;
  };
  return {
    measure: async (workers, clips) => {
      const pool = await poolOf(workers);
      const startMs = performance.now();
      await runClips(pool, clips, signal);
      return (performance.now() - startMs) / clips;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

async function runClips(pool: WorkerPool, clips: number, signal: AbortSignal): Promise<void> {
  const job = pool.openJob(signal);
  try {
    let left = clips;
    const runUntilNoneIsLeft = async () => {
      const slot = job.take();
      fillWithNoise(slot.samples);
      while (left > 0) {
        left -= 1;
        await job.run(slot);
      }
      job.release(slot);
    };
    await Promise.all(Array.from({ length: Math.min(clips, job.maxClipsInFlight) }, runUntilNoneIsLeft));
  } finally {
    job.close();
  }
}

/** The same noise every time, because a model could take a short cut with silence. */
function fillWithNoise(samples: Float32Array): void {
  let state = 1;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[i] = (state / 2 ** 32 - 0.5) * 0.2;
  }
}
