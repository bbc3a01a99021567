import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { startServer } from '../../server.ts';
import { ask } from '../api.ts';
import { percentile, round } from '../measures.ts';
import { signUpSomebody, withoutAttemptLimits } from '../people.ts';
import { makeRecording } from '../recordings.ts';
import { measureBareRecogniser } from './bare-recogniser.ts';
import { coresBetween, readCpuSeconds } from './cpu-seconds.ts';
import { createLightClient } from './light-client.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  /** What is kept of the recordings' sound, besides the answers; `default` as when nobody says. */
  readonly kept: 'nothing' | 'default';
  readonly say: (line: string) => void;
}

const metricsToken = 'the-token-of-a-trial-of-load';
const recordingSeconds = 15;
const healthEveryMs = 50;

/** What does not depend on when and by whom it was asked. */
const answerOf = ({
  conditions,
  model,
  verdict,
  candidates,
  detections,
  hiddenByLocation,
  otherSounds,
  checkUp,
}: Prediction) => ({
  ...{ conditions, model, verdict, candidates, detections, hiddenByLocation, otherSounds, checkUp },
});

/**
 * Many clients send recordings at once, without a pause, each again as soon as it is answered, or when the server that was busy says so.
 * Everything runs on this machine: server, clients, and the reference before and after.
 */
export async function runLoad(options: LoadOptions) {
  const { clients, seconds, kept, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-load-'));
  try {
    const path = join(folder, 'birds.m4a');
    await makeRecording(path, { startSeconds: 30, seconds: recordingSeconds });
    say('the bare recogniser, before');
    const before = await measureBareRecogniser(path, seconds / 3);
    say(`${clients} clients for ${seconds} s`);
    const measured = await measureServer(await readFile(path), options);
    say('the bare recogniser, after');
    const after = await measureBareRecogniser(path, seconds / 3);
    const bare = (before.perSecond + after.perSecond) / 2;
    const ratio = measured.answersPerSecond / bare;
    return {
      clients,
      seconds,
      kept,
      recordingSeconds,
      ...measured,
      bareRecogniserPerSecond: round(bare, 2),
      ratio: round(ratio, 3),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureServer(bytes: Uint8Array, { clients, seconds, kept }: LoadOptions) {
  const server = await startServer({
    ...{ OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', METRICS_TOKEN: metricsToken, ...withoutAttemptLimits },
  });
  const { origin, pid } = server;
  const fields: Record<string, string> = kept === 'default' ? {} : { keepAudio: kept };
  const client = createLightClient(origin, { name: 'birds.m4a', bytes, fields });
  try {
    const tokens: string[] = [];
    for (let one = 0; one < clients; one += 1) tokens.push(await signUpSomebody(origin));
    const expected = answerOf(JSON.parse((await client.send(tokens[0] ?? '')).text));
    // Reading the metrics begins a new count of the event loop's delay.
    await readLoopDelay(origin);

    const tookMs: number[] = [];
    const healthMs: number[] = [];
    const errors: string[] = [];
    let wrong = 0;
    let busy = 0;
    const cpuBefore = readCpuSeconds(pid);
    const ownCpuBefore = process.cpuUsage();
    const start = performance.now();
    const elapsedSeconds = () => (performance.now() - start) / 1000;
    const over = () => elapsedSeconds() > seconds;

    async function keepSending(token: string): Promise<void> {
      while (!over()) {
        const sentAt = performance.now();
        const { status, text, retryAfterSeconds } = await client
          .send(token)
          .catch((error: unknown) => ({ status: 0, text: String(error), retryAfterSeconds: 0 }));
        if (status === 200) {
          tookMs.push(performance.now() - sentAt);
          if (!isDeepStrictEqual(answerOf(JSON.parse(text)), expected)) wrong += 1;
        } else if (status === 503 && text.includes('"SERVER_BUSY"') && retryAfterSeconds > 0) {
          busy += 1;
          await delay(Math.min(1000 * retryAfterSeconds, Math.max(0, 1000 * (seconds - elapsedSeconds()))));
        } else errors.push(`${status} ${text.slice(0, 200)}`);
      }
    }
    async function watchHealth(): Promise<void> {
      while (!over()) {
        const askedAt = performance.now();
        await ask(origin, 'GET', '/healthz');
        healthMs.push(performance.now() - askedAt);
        await delay(healthEveryMs);
      }
    }
    await Promise.all([...tokens.map(keepSending), watchHealth()]);
    const elapsed = elapsedSeconds();
    const cpuAfter = readCpuSeconds(pid);
    const ownCpu = process.cpuUsage(ownCpuBefore);
    return {
      answers: tookMs.length,
      answersPerSecond: round(tookMs.length / elapsed, 2),
      wrong,
      busy,
      errors,
      answerMs: { median: round(percentile(tookMs, 0.5)), p99: round(percentile(tookMs, 0.99)) },
      healthMs: { median: round(percentile(healthMs, 0.5)), p99: round(percentile(healthMs, 0.99)) },
      eventLoopDelayMs: await readLoopDelay(origin),
      /** Cores that were kept busy. */
      serverCores: cpuBefore && cpuAfter && coresBetween(cpuBefore, cpuAfter, elapsed),
      clientCores: round((ownCpu.user + ownCpu.system) / 1e6 / elapsed, 2),
    };
  } finally {
    client.close();
    await server.stop();
  }
}

/** Percentiles since they were last asked for. */
async function readLoopDelay(origin: string): Promise<{ median: number; p99: number }> {
  const { body } = await ask(origin, 'GET', '/metrics', { token: metricsToken });
  const read = (name: string) => round(1000 * Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1]));
  return { median: read('nodejs_eventloop_lag_p50_seconds'), p99: read('nodejs_eventloop_lag_p99_seconds') };
}
