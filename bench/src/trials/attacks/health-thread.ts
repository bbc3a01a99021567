import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Requests `/healthz` again and again, each time on a new connection, until it receives a message; then it posts the milliseconds that
 * each response took.
 */
const everyMs = 20;
/** The request is aborted after this time, which then counts as its duration. */
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
