import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { percentile, round } from './measures.ts';

const EVERY_MS = 20;
/** The request is aborted after this time, which then counts as its duration. */
const MOST_MS = 10_000;

/**
 * Requests `/healthz` again and again, each time on a new connection and from a separate thread, so that other work of the trial does not
 * affect the result.
 *
 * @returns a function that stops it and resolves with the milliseconds that 99 % of the responses took at most
 */
export function watchHealth(origin: string): () => Promise<number> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { watchedOrigin: origin } });
  return async () => {
    const told = once(thread, 'message');
    thread.postMessage('stop');
    const [took] = (await told) as [number[]];
    await thread.terminate();
    return round(percentile(took, 0.99));
  };
}

async function watchUntilTold(url: URL): Promise<void> {
  const took: number[] = [];
  const stopped = new AbortController();
  parentPort?.once('message', () => stopped.abort());
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const asked = request(url, { agent: false, timeout: MOST_MS }, (response) => response.resume().once('end', resolve));
      asked.once('timeout', () => asked.destroy());
      asked.once('close', resolve);
      asked.once('error', () => {});
      asked.end();
    });
  while (!stopped.signal.aborted) {
    const start = performance.now();
    await ask();
    took.push(Math.min(MOST_MS, performance.now() - start));
    await delay(EVERY_MS);
  }
  parentPort?.postMessage(took);
}

if (workerData?.watchedOrigin !== undefined) await watchUntilTold(new URL('/healthz', workerData.watchedOrigin));
