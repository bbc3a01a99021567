/** `npm run trial -- load`: many clients at once against one server, and the recogniser without a server before and after each round. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { ask, askPrediction, signUpSomebody, withoutAttemptLimits } from '../../harness/api.ts';
import { makeSound } from '../../harness/make-recording.ts';
import { median, percentile, round } from '../../harness/measures.ts';
import { analysisProcessOf, readProcessorSeconds } from '../../harness/processes.ts';
import { memorySettings, startServer } from '../../harness/server.ts';
import { watchHealth } from '../../harness/watch-health.ts';
import type { TrialResult } from '../trial-result.ts';
import { type Sent, sendWithoutPause } from './steady-rate.ts';

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
 * Server, clients and bare recogniser share this machine. Every result must be the same, and no request may fail except with
 * `SERVER_BUSY`.
 */
export async function runLoad({ clients, seconds, rounds, kept, say }: LoadOptions): Promise<TrialResult> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-load-'));
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', METRICS_TOKEN, ...withoutAttemptLimits };
  await using server = await startServer(environment);
  const path = join(folder.path, 'birds.m4a');
  const sound = await makeSound('birds.m4a', { startSeconds: 30, seconds: RECORDING_SECONDS });
  await writeFile(path, sound.buffer);
  const fields: Record<string, string> = kept === 'default' ? {} : { keepAudio: kept };
  const senders: (() => ReturnType<typeof askPrediction>)[] = [];
  while (senders.length < clients) {
    const token = await signUpSomebody(server.origin);
    senders.push(() => askPrediction(server.origin, { ...sound, fields, token }));
  }
  const expected = await senders[0]?.().then(({ body }) => answerOf(body));
  const processes = { web: server.pid, analysis: analysisProcessOf(server.pid) };
  const before = usedBy(processes);
  const bare = [await measureBareRecogniser(path, seconds / 2)];
  const measured: Round[] = [];
  while (measured.length < rounds) {
    measured.push(await loadOnce(server.origin, senders, seconds, expected));
    bare.push(await measureBareRecogniser(path, seconds / 2));
    say(`${round(measured.at(-1)?.perSecond ?? 0, 2)} answers a second; the bare recogniser ${round(bare.at(-1) ?? 0, 2)}`);
  }
  // Compare each round with the reference just before and just after it.
  const ratios = measured.map(({ perSecond }, one) => (2 * perSecond) / ((bare[one] ?? 0) + (bare[one + 1] ?? 0)));
  const tookMs = measured.flatMap((each) => each.tookMs);
  const wrong = measured.reduce((sum, each) => sum + each.wrong, 0);
  const errors = measured.flatMap((each) => each.errors);
  const worst = (read: (one: Round) => number): number => Math.max(...measured.map(read));
  const after = usedBy(processes);
  const perAnswer = (part: keyof typeof after) => round((1000 * (after[part] - before[part])) / tookMs.length);
  const report = {
    ...{ clients, seconds, rounds, kept, recordingSeconds: RECORDING_SECONDS },
    ...{ answers: tookMs.length, wrong, busy: measured.reduce((sum, each) => sum + each.busy, 0), errors },
    answerMs: { median: round(median(tookMs)), p99: round(percentile(tookMs, 0.99)) },
    /** Here and below, in the worst round. */
    healthMsP99: worst(({ healthMs }) => healthMs),
    eventLoopDelayMsP99: worst(({ loopDelayMs }) => loopDelayMs),
    processorMsPerAnswer: { web: perAnswer('web'), analysisAndDecoders: perAnswer('analysis') },
    answersPerSecond: measured.map(({ perSecond }) => round(perSecond, 2)),
    bareRecogniserPerSecond: bare.map((answers) => round(answers, 2)),
    ratio: round(median(ratios), 3),
  };
  return { report, passed: wrong === 0 && errors.length === 0 };
}

/** Seconds of processor time. */
const usedBy = ({ web, analysis }: Readonly<Record<'web' | 'analysis', number>>) => ({
  web: readProcessorSeconds([web]),
  analysis: readProcessorSeconds([analysis]),
});

/** How many recordings a second this machine analyses without a server, decoding included. */
async function measureBareRecogniser(path: string, seconds: number): Promise<number> {
  const program = fileURLToPath(new URL('recogniser-alone.ts', import.meta.url));
  const env = { ...memorySettings(), PATH: process.env.PATH, FFMPEG_PATH: process.env.FFMPEG_PATH };
  const args = ['--disable-warning=ExperimentalWarning', program, path, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return Number(stdout);
}

interface Round extends Sent {
  readonly wrong: number;
  /** 99 % */
  readonly healthMs: number;
  readonly loopDelayMs: number;
}

async function loadOnce(
  origin: string,
  clients: Parameters<typeof sendWithoutPause>[0],
  seconds: number,
  expected: unknown,
): Promise<Round> {
  // Reading the metrics resets the measurement of the event loop's delay.
  await readLoopDelay(origin);
  const stopWatching = watchHealth(origin);
  let wrong = 0;
  const sent = await sendWithoutPause(clients, seconds, ({ body }) => {
    if (!isDeepStrictEqual(answerOf(body), expected)) wrong += 1;
  });
  return { ...sent, wrong, healthMs: await stopWatching(), loopDelayMs: await readLoopDelay(origin) };
}

/** 99 % since the last call. */
async function readLoopDelay(origin: string): Promise<number> {
  const { body } = await ask(origin, 'GET', '/metrics', { token: METRICS_TOKEN });
  return round(1000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(String(body))?.[1]));
}
