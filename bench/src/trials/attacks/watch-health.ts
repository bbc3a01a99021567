import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median, percentile, round } from '../../harness/measures.ts';

/** How long a server took to say that it lives. */
export interface Health {
  readonly asked: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Asks from a thread of its own, so that what else the trial does is not measured. @returns what ends it */
export function watchHealth(origin: string): () => Promise<Health> {
  const thread = new Worker(new URL('./health-thread.ts', import.meta.url), { workerData: origin });
  return async () => {
    const told = once(thread, 'message');
    thread.postMessage('stop');
    const [took] = (await told) as [number[]];
    await thread.terminate();
    return {
      asked: took.length,
      medianMs: round(median(took)),
      p99Ms: round(percentile(took, 0.99)),
      longestMs: round(Math.max(...took)),
    };
  };
}
