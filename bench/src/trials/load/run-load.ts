import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { mean, median, percentile, round } from '../../harness/measures.ts';
import { startServer } from '../../harness/server.ts';
import { measureBareRecogniser } from './bare-recogniser.ts';
import { type CpuSeconds, coresBetween, readServerCpuSeconds, type ServerCpuSeconds } from './cpu-seconds.ts';
import { createLightClient } from './light-client.ts';
import { createSteadyRate } from './steady-rate.ts';

export interface LoadOptions {
  readonly clients: number;
  /** Duration of each round. */
  readonly seconds: number;
  /** More rounds even out changes in the machine's speed. */
  readonly rounds: number;
  /** The audio retention of the recordings; `default` leaves it out of the request. */
  readonly kept: 'nothing' | 'default';
  readonly say: (line: string) => void;
}

const metricsToken = 'the-token-of-a-trial-of-load';
const recordingSeconds = 15;
const healthEveryMs = 100;

/** The part of a prediction that does not depend on when and for whom it was made. */
const answerOf = ({ id, createdAt, recording, timings, ...answer }: Prediction) => answer;

/**
 * Many clients send recordings concurrently without pause; each sends again as soon as it has a response, or after the time that a busy
 * server asks for. Everything runs on this machine: server, clients and, between rounds, the bare recogniser.
 */
export async function runLoad(options: LoadOptions) {
  const { clients, seconds, rounds, kept, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-load-'));
  try {
    const path = join(folder, 'birds.m4a');
    await makeRecording(path, { startSeconds: 30, seconds: recordingSeconds });
    const bare: number[] = [];
    const measureBare = async (): Promise<void> => {
      bare.push(await measureBareRecogniser(path, seconds / 2));
      say(`the bare recogniser: ${round(bare.at(-1) ?? 0, 2)} a second`);
    };
    const measured = await measureServer(await readFile(path), { ...options, between: measureBare });
    const { perSecond, ...others } = measured;
    // Compare each round with the reference just before and just after it.
    const ratios = perSecond.map((answers, one) => (2 * answers) / ((bare[one] ?? 0) + (bare[one + 1] ?? 0)));
    return {
      clients,
      seconds,
      rounds,
      kept,
      recordingSeconds,
      ...others,
      answersPerSecond: perSecond.map((answers) => round(answers, 2)),
      bareRecogniserPerSecond: bare.map((answers) => round(answers, 2)),
      ratio: round(median(ratios), 3),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ServerOptions extends LoadOptions {
  /** Called before the first round, between rounds, and after the last, while the server is idle. */
  readonly between: () => Promise<void>;
}

async function measureServer(bytes: Uint8Array, { clients, seconds, rounds, kept, between, say }: ServerOptions) {
  const server = await startServer({
    OPEN_PREDICTION: 'false',
    LOG_LEVEL: 'error',
    METRICS_TOKEN: metricsToken,
    ...withoutAttemptLimits,
  });
  const { origin, pid } = server;
  const fields: Record<string, string> = kept === 'default' ? {} : { keepAudio: kept };
  const client = createLightClient(origin, { name: 'birds.m4a', bytes, fields });
  try {
    const tokens: string[] = [];
    for (let one = 0; one < clients; one += 1) tokens.push(await signUpSomebody(origin));
    const expected = answerOf(JSON.parse((await client.send(tokens[0] ?? '')).text));
    const tookMs: number[] = [];
    const healthMs: number[] = [];
    const errors: string[] = [];
    const perSecond: number[] = [];
    const cores: ServerCpuSeconds[] = [];
    let wrong = 0;
    let busy = 0;
    let ownCpuSeconds = 0;

    async function loadOnce(): Promise<void> {
      const steady = createSteadyRate(seconds);
      const keepSending = async (token: string): Promise<void> => {
        while (!steady.isOver) {
          const sentAt = performance.now();
          const { status, text, retryAfterSeconds } = await client
            .send(token)
            .catch((error: unknown) => ({ status: 0, text: String(error), retryAfterSeconds: 0 }));
          if (status === 200) {
            steady.count();
            tookMs.push(performance.now() - sentAt);
            if (!isDeepStrictEqual(answerOf(JSON.parse(text)), expected)) wrong += 1;
          } else if (status === 503 && text.includes('"SERVER_BUSY"') && retryAfterSeconds > 0) {
            busy += 1;
            await delay(1000 * Math.min(retryAfterSeconds, steady.secondsLeft));
          } else errors.push(`${status} ${text.slice(0, 200)}`);
        }
      };
      const watchHealth = async (): Promise<void> => {
        while (!steady.isOver) {
          const askedAt = performance.now();
          await ask(origin, 'GET', '/healthz');
          healthMs.push(performance.now() - askedAt);
          await delay(healthEveryMs);
        }
      };
      const cpuBefore = readServerCpuSeconds(pid);
      const ownCpuBefore = process.cpuUsage();
      const start = performance.now();
      await Promise.all([...tokens.map(keepSending), watchHealth()]);
      const elapsed = (performance.now() - start) / 1000;
      const cpuAfter = readServerCpuSeconds(pid);
      const ownCpu = process.cpuUsage(ownCpuBefore);
      if (cpuBefore && cpuAfter) {
        const web = coresBetween(cpuBefore.web, cpuAfter.web, elapsed);
        cores.push({ web, analysis: coresBetween(cpuBefore.analysis, cpuAfter.analysis, elapsed) });
      }
      ownCpuSeconds += (ownCpu.user + ownCpu.system) / 1e6 / elapsed;
      perSecond.push(steady.perSecond);
      say(`${clients} clients: ${round(steady.perSecond, 2)} answers a second`);
    }

    const loopDelays: LoopDelay[] = [];
    await between();
    for (let done = 0; done < rounds; done += 1) {
      // Reading the metrics resets the measurement of the event loop's delay.
      await readLoopDelay(origin);
      await loadOnce();
      loopDelays.push(await readLoopDelay(origin));
      await between();
    }
    const worst = (read: (delay: LoopDelay) => number): number => Math.max(...loopDelays.map(read));
    const meanCores = (of: keyof ServerCpuSeconds): CpuSeconds => {
      const meanOf = (part: keyof CpuSeconds) => round(mean(cores.map((one) => one[of][part])), 2);
      return { mainThread: meanOf('mainThread'), otherThreads: meanOf('otherThreads'), children: meanOf('children') };
    };
    return {
      answers: tookMs.length,
      perSecond,
      wrong,
      busy,
      errors,
      answerMs: { median: round(median(tookMs)), p99: round(percentile(tookMs, 0.99)) },
      healthMs: { median: round(median(healthMs)), p99: round(percentile(healthMs, 0.99)) },
      /** In the worst round. */
      eventLoopDelayMs: { median: worst(({ median }) => median), p99: worst(({ p99 }) => p99) },
      /** Number of cores kept busy. */
      serverCores: { web: meanCores('web'), analysis: meanCores('analysis') },
      clientCores: round(ownCpuSeconds / rounds, 2),
    };
  } finally {
    client.close();
    await server.stop();
  }
}

interface LoopDelay {
  readonly median: number;
  readonly p99: number;
}

/** Percentiles since the last call. */
async function readLoopDelay(origin: string): Promise<LoopDelay> {
  const { body } = await ask(origin, 'GET', '/metrics', { token: metricsToken });
  const read = (name: string) => round(1000 * Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1]));
  return { median: read('nodejs_eventloop_lag_p50_seconds'), p99: read('nodejs_eventloop_lag_p99_seconds') };
}
