import { type ModelFolder, openWorkerPool, type WorkerPool } from '@chiffchaff/recognizer/node';
import { median, timed } from '../harness/measures.ts';
import { createChance } from '../harness/random.ts';
import { type Measure, timesRealTime } from './part.ts';

const WARM_UP_CLIPS = 8;

/** Runs clips of noise through worker pools, which stay open until they are closed. */
export function createClipMeter(modelFolder: ModelFolder, signal: AbortSignal) {
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
    async msPerClip(workers: number, clips: number): Promise<number> {
      const pool = await poolOf(workers);
      return (await timed(() => runClips(pool, clips, signal))).ms / clips;
    },
    async close(): Promise<void> {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.close()));
    },
  };
}

async function runClips(pool: WorkerPool, clips: number, signal: AbortSignal): Promise<void> {
  const job = pool.openJob(signal);
  try {
    let left = clips;
    const runUntilNoneIsLeft = async () => {
      const slot = job.take();
      // Noise, because a model could take a short cut with silence.
      const { next } = createChance(1);
      slot.samples.set(slot.samples.map(() => 0.2 * (next() - 0.5)));
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

export const measureClips: Measure = async ({ config, msPerClip, clipSeconds, runs, clips }) => {
  const rows = [];
  for (const workers of new Set([1, config.workers])) {
    const taken: number[] = [];
    while (taken.length < runs) taken.push(await msPerClip(workers, clips * workers));
    const figure = `${median(taken).toFixed(2)} ms, ${timesRealTime(clipSeconds, median(taken) / 1000)}`;
    rows.push({ what: `one clip, ${workers} ${workers === 1 ? 'worker' : 'workers'}`, figure });
  }
  return rows;
};
