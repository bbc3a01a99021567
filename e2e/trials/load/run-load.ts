import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { startServer } from '../../server.ts';
import { ask, askPrediction } from '../api.ts';
import { percentile, round } from '../measures.ts';
import { signUpSomebody, withoutAttemptLimits } from '../people.ts';
import { makeRecording } from '../recordings.ts';
import { measureBareRecogniser } from './bare-recogniser.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
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
export async function runLoad({ clients, seconds, say }: LoadOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-load-'));
  try {
    const path = join(folder, 'birds.m4a');
    await makeRecording(path, { startSeconds: 30, seconds: recordingSeconds });
    say('the bare recogniser, before');
    const before = await measureBareRecogniser(path, seconds / 3);
    say(`${clients} clients for ${seconds} s`);
    const measured = await measureServer(new Uint8Array(await readFile(path)), clients, seconds);
    say('the bare recogniser, after');
    const after = await measureBareRecogniser(path, seconds / 3);
    const bare = (before.perSecond + after.perSecond) / 2;
    const ratio = measured.answersPerSecond / bare;
    return { clients, seconds, recordingSeconds, ...measured, bareRecogniserPerSecond: round(bare, 2), ratio: round(ratio, 3) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureServer(bytes: Uint8Array<ArrayBuffer>, clients: number, seconds: number) {
  const server = await startServer({
    ...{ OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', METRICS_TOKEN: metricsToken, ...withoutAttemptLimits },
  });
  const { origin } = server;
  try {
    const tokens: string[] = [];
    for (let client = 0; client < clients; client += 1) tokens.push(await signUpSomebody(origin));
    const send = (token: string | undefined) =>
      askPrediction(origin, { token, name: 'birds.m4a', bytes, fields: { keepAudio: 'nothing' } });
    const expected = answerOf((await send(tokens[0])).body);
    // Reading the metrics begins a new count of the event loop's delay.
    await readLoopDelay(origin);

    const tookMs: number[] = [];
    const healthMs: number[] = [];
    const errors: string[] = [];
    let wrong = 0;
    let busy = 0;
    const start = performance.now();
    const over = () => performance.now() - start > seconds * 1000;

    async function keepSending(token: string): Promise<void> {
      while (!over()) {
        const sentAt = performance.now();
        const { status, body } = await send(token).catch((error: unknown) => ({ status: 0, body: String(error) }));
        if (status === 200 && typeof body === 'object') {
          tookMs.push(performance.now() - sentAt);
          if (!isDeepStrictEqual(answerOf(body), expected)) wrong += 1;
        } else if (status === 503 && isBusy(body)) {
          busy += 1;
          await delay(1000);
        } else errors.push(`${status} ${JSON.stringify(body).slice(0, 200)}`);
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
    const elapsed = (performance.now() - start) / 1000;
    return {
      answers: tookMs.length,
      answersPerSecond: round(tookMs.length / elapsed, 2),
      wrong,
      busy,
      errors,
      answerMs: { median: round(percentile(tookMs, 0.5)), p99: round(percentile(tookMs, 0.99)) },
      healthMs: { median: round(percentile(healthMs, 0.5)), p99: round(percentile(healthMs, 0.99)) },
      eventLoopDelayMs: await readLoopDelay(origin),
    };
  } finally {
    await server.stop();
  }
}

const isBusy = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'code' in body && body.code === 'SERVER_BUSY';

/** Percentiles since they were last asked for. */
async function readLoopDelay(origin: string): Promise<{ median: number; p99: number }> {
  const { body } = await ask(origin, 'GET', '/metrics', { token: metricsToken });
  const read = (name: string) => round(1000 * Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1]));
  return { median: read('nodejs_eventloop_lag_p50_seconds'), p99: read('nodejs_eventloop_lag_p99_seconds') };
}
