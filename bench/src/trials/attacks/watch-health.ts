import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median, percentile, round } from '../../harness/measures.ts';

/** How long a server took to respond to `/healthz`. */
export interface Health {
  readonly asked: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Sends requests from a separate thread, so that other work of the trial does not affect the result. @returns a function that stops it */
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
