import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Asks a server whether it lives, each time on a connection of its own, until it is told to stop; then it says how many milliseconds each answer took. */
const everyMs = 20;
/** Longer answers count as this. */
const mostMs = 10_000;

const url = new URL('/healthz', String(workerData));
const took: number[] = [];
let stopped = false;
parentPort?.once('message', () => {
  stopped = true;
});

const ask = (): Promise<void> =>
  new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: mostMs }, (response) => response.resume().once('end', resolve));
    asked.once('timeout', () => asked.destroy());
    asked.once('close', resolve);
    asked.once('error', () => {});
    asked.end();
  });

while (!stopped) {
  const start = performance.now();
  await ask();
  took.push(Math.min(mostMs, performance.now() - start));
  await delay(everyMs);
}
parentPort?.postMessage(took);
