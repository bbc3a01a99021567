/** `npm run trial -- load`: many clients at once against one server, and the recogniser without a server before and after each round. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { mean, median, percentile, round } from '../../harness/measures.ts';
import { analysisProcessOf } from '../../harness/process-tree.ts';
import { memorySettings, type StartedServer, startServer } from '../../harness/server.ts';
import { type Health, watchHealth } from '../../harness/watch-health.ts';
import type { TrialResult } from '../trial-result.ts';
import { type CpuSeconds, readCpuSeconds } from './cpu-seconds.ts';
import { createLightClient, type LightClient } from './light-client.ts';
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

const METRICS_TOKEN = 'the-token-of-a-trial-of-load';
const RECORDING_SECONDS = 15;

/** The part of a prediction that does not depend on when and for whom it was made. */
const answerOf = ({ id, createdAt, recording, timings, ...answer }: Prediction) => answer;

/**
 * Each client sends again as soon as it has a response, or after the time that a busy server asks for. Server, clients and bare recogniser
 * share this machine. Every result must be the same, and no request may fail except with `SERVER_BUSY`.
 */
export async function runLoad({ clients, seconds, rounds, kept, say }: LoadOptions): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-load-'));
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', METRICS_TOKEN, ...withoutAttemptLimits };
  const server = await startServer(environment);
  try {
    const path = join(folder, 'birds.m4a');
    await makeRecording(path, { startSeconds: 30, seconds: RECORDING_SECONDS });
    const fields: Record<string, string> = kept === 'default' ? {} : { keepAudio: kept };
    const client = createLightClient(server.origin, { name: 'birds.m4a', bytes: await readFile(path), fields });
    const tokens: string[] = [];
    while (tokens.length < clients) tokens.push(await signUpSomebody(server.origin));
    const expected = answerOf(JSON.parse((await client.send(tokens[0] ?? '')).text));
    const bare = [await measureBareRecogniser(path, seconds / 2)];
    const measured: Round[] = [];
    while (measured.length < rounds) {
      measured.push(await loadOnce(server, { client, tokens, seconds, expected }));
      bare.push(await measureBareRecogniser(path, seconds / 2));
      say(`${round(measured.at(-1)?.perSecond ?? 0, 2)} answers a second; the bare recogniser ${round(bare.at(-1) ?? 0, 2)}`);
    }
    client.close();
    // Compare each round with the reference just before and just after it.
    const ratios = measured.map(({ perSecond }, one) => (2 * perSecond) / ((bare[one] ?? 0) + (bare[one + 1] ?? 0)));
    const tookMs = measured.flatMap((each) => each.tookMs);
    const wrong = measured.reduce((sum, each) => sum + each.wrong, 0);
    const errors = measured.flatMap((each) => each.errors);
    const worst = (read: (one: Round) => number): number => Math.max(...measured.map(read));
    const cores = (of: 'web' | 'analysis') => {
      const meanOf = (part: keyof CpuSeconds) => round(mean(measured.map((each) => each.cores[of][part])), 2);
      return { mainThread: meanOf('mainThread'), otherThreads: meanOf('otherThreads'), children: meanOf('children') };
    };
    const report = {
      ...{ clients, seconds, rounds, kept, recordingSeconds: RECORDING_SECONDS },
      ...{ answers: tookMs.length, wrong, busy: measured.reduce((sum, each) => sum + each.busy, 0), errors },
      answerMs: { median: round(median(tookMs)), p99: round(percentile(tookMs, 0.99)) },
      /** Here and below, in the worst round. */
      healthMs: { median: worst(({ health }) => health.medianMs), p99: worst(({ health }) => health.p99Ms) },
      eventLoopDelayMs: {
        median: worst(({ loopDelayMs }) => loopDelayMs.median),
        p99: worst(({ loopDelayMs }) => loopDelayMs.p99),
      },
      /** Number of cores kept busy. */
      serverCores: { web: cores('web'), analysis: cores('analysis') },
      answersPerSecond: measured.map(({ perSecond }) => round(perSecond, 2)),
      bareRecogniserPerSecond: bare.map((answers) => round(answers, 2)),
      ratio: round(median(ratios), 3),
    };
    return { report, passed: wrong === 0 && errors.length === 0 };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many recordings a second this machine analyses without a server, decoding included. */
async function measureBareRecogniser(path: string, seconds: number): Promise<number> {
  const program = fileURLToPath(new URL('recogniser-alone.ts', import.meta.url));
  const env = { ...memorySettings(), PATH: process.env.PATH, FFMPEG_PATH: process.env.FFMPEG_PATH };
  const args = ['--disable-warning=ExperimentalWarning', program, path, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return Number(stdout);
}

interface Round {
  readonly perSecond: number;
  readonly tookMs: readonly number[];
  readonly wrong: number;
  readonly busy: number;
  readonly errors: readonly string[];
  readonly health: Health;
  readonly loopDelayMs: { readonly median: number; readonly p99: number };
  readonly cores: Readonly<Record<'web' | 'analysis', CpuSeconds>>;
}

interface LoadOnce {
  readonly client: LightClient;
  readonly tokens: readonly string[];
  readonly seconds: number;
  readonly expected: ReturnType<typeof answerOf>;
}

async function loadOnce({ origin, pid }: StartedServer, { client, tokens, seconds, expected }: LoadOnce): Promise<Round> {
  const tookMs: number[] = [];
  const errors: string[] = [];
  let [wrong, busy] = [0, 0];
  const analysisPid = analysisProcessOf(pid);
  const cpuSeconds = () => ({ web: readCpuSeconds(pid), analysis: readCpuSeconds(analysisPid) });
  // Reading the metrics resets the measurement of the event loop's delay.
  await readLoopDelay(origin);
  const stopWatching = watchHealth(origin);
  const before = cpuSeconds();
  const start = performance.now();
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
  await Promise.all(tokens.map(keepSending));
  const elapsed = (performance.now() - start) / 1000;
  const after = cpuSeconds();
  const busyCores = (of: 'web' | 'analysis'): CpuSeconds => {
    const cores = (part: keyof CpuSeconds): number => (after[of][part] - before[of][part]) / elapsed;
    return { mainThread: cores('mainThread'), otherThreads: cores('otherThreads'), children: cores('children') };
  };
  return {
    ...{ perSecond: steady.perSecond, tookMs, wrong, busy, errors, health: await stopWatching() },
    loopDelayMs: await readLoopDelay(origin),
    cores: { web: busyCores('web'), analysis: busyCores('analysis') },
  };
}

/** Percentiles since the last call. */
async function readLoopDelay(origin: string): Promise<Round['loopDelayMs']> {
  const { body } = await ask(origin, 'GET', '/metrics', { token: METRICS_TOKEN });
  const read = (name: string) => round(1000 * Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1]));
  return { median: read('nodejs_eventloop_lag_p50_seconds'), p99: read('nodejs_eventloop_lag_p99_seconds') };
}
