import { createSoundCheckUp } from '@chiffchaff/recognizer';
import { type ModelFolder, openWorkerPool, type WorkerPool } from '@chiffchaff/recognizer/node';
import { median } from '../harness/measures.ts';
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
      const startMs = performance.now();
      await runClips(pool, clips, signal);
      return (performance.now() - startMs) / clips;
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
      slot.samples.set(noise(slot.samples.length, 0.2));
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

/** The same noise every time. */
function noise(length: number, amplitude: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * amplitude;
  });
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

const CHECKED_SECONDS = 60;
/** The size of the pieces that a decoder delivers. */
const PIECE_SAMPLES = 16_384;

/** Processor time of the check-up, which is added to that of the analysis. */
export const measureCheckUp: Measure = async ({ model, msPerClip, clipSeconds, runs, clips }) => {
  const { sampleRate } = model.manifest.audio;
  // Intermittent whistles over faint noise.
  const sound = noise(CHECKED_SECONDS * sampleRate, 0.01).map((sample, index) => {
    const at = index / sampleRate;
    return sample + 0.2 * Math.max(0, Math.sin(5.6 * at)) * Math.sin(2 * Math.PI * 4000 * at);
  });
  const checkUpMs = (): number => {
    const before = process.cpuUsage();
    const checkUp = createSoundCheckUp({ sampleRate, channels: 1 });
    for (let from = 0; from < sound.length; from += PIECE_SAMPLES) {
      const piece = sound.subarray(from, from + PIECE_SAMPLES);
      checkUp.pushChannels(piece);
      checkUp.pushMono(piece);
    }
    checkUp.end();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  checkUpMs();
  const ms = median(Array.from({ length: runs }, checkUpMs));
  const analysisMs = ((await msPerClip(1, clips)) * CHECKED_SECONDS) / clipSeconds;
  const share = ((100 * ms) / analysisMs).toFixed(1);
  return [{ what: 'check-up of a minute', figure: `${ms.toFixed(1)} ms, ${share} % of its analysis without overlap` }];
};
