import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '@chiffchaff/cli';
import { predictionSchema } from '@chiffchaff/contract';
import { signUpSomebody } from '../harness/accounts.ts';
import { ask, askPrediction } from '../harness/api.ts';
import { median, percentile } from '../harness/measures.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';
import { type MakeOptions, makeRecording } from './made-recordings.ts';

export interface HttpSpeed {
  readonly recordingSeconds: number;
  readonly requests: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** From the request that cancels an analysis to the response to the request that sent the recording. */
  readonly cancelledMs: { readonly median: number; readonly most: number; readonly times: number };
}

const RECORDING_SECONDS = 15;
/** Its analysis takes several seconds, so that it can be cancelled in the middle. */
const CANCELLED_SECONDS = 1800;
const CANCELLED_TIMES = 10;
const LOOK_EVERY_MS = 20;

/** Sends one recording after another to a separate server, with an overlap of 1.5 s; the first three are not counted. */
export async function measureHttp({
  config,
  make,
  requests,
}: {
  readonly config: Config;
  readonly make: MakeOptions;
  readonly requests: number;
}): Promise<HttpSpeed> {
  const file = await makeRecording({ seconds: RECORDING_SECONDS, sampleRate: 44_100, format: 'm4a' }, make);
  const recording = { name: 'bench.m4a', bytes: new Uint8Array(await readFile(file)), fields: { overlapSeconds: '1.5' } };
  const dataDir = await makeDataFolder(config.dataDir);
  const server = await startServer({ INFERENCE_WORKERS: `${config.workers}`, LOG_LEVEL: 'silent' }, { dataDir });
  try {
    const takenMs: number[] = [];
    for (let request = -3; request < requests; request++) {
      const startMs = performance.now();
      const { status, body } = await askPrediction(server.origin, { ...recording, signal: make.signal });
      if (request >= 0) takenMs.push(performance.now() - startMs);
      if (status !== 200) throw new Error(`the server answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
      predictionSchema.parse(body);
    }
    const long = await makeRecording({ seconds: CANCELLED_SECONDS, sampleRate: 48_000, format: 'mp3' }, make);
    const bytes = new Uint8Array(await readFile(long));
    const token = await signUpSomebody(server.origin);
    const cancelledMs: number[] = [];
    for (let time = 0; time < CANCELLED_TIMES; time += 1)
      cancelledMs.push(await cancelInTheMiddle(server.origin, { token, bytes, key: `cancelled-${time}`, signal: make.signal }));
    return {
      recordingSeconds: RECORDING_SECONDS,
      requests,
      medianMs: median(takenMs),
      p95Ms: percentile(takenMs, 0.95),
      cancelledMs: { median: median(cancelledMs), most: Math.max(...cancelledMs), times: CANCELLED_TIMES },
    };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @returns milliseconds from the cancelling request to the end of the analysis */
async function cancelInTheMiddle(
  origin: string,
  {
    token,
    bytes,
    key,
    signal,
  }: { readonly token: string; readonly bytes: Uint8Array<ArrayBuffer>; readonly key: string; readonly signal: AbortSignal },
): Promise<number> {
  const answered = askPrediction(origin, { name: 'long.mp3', bytes, token, key, signal });
  for (;;) {
    const { body } = await ask(origin, 'GET', `/v1/predictions/${key}`, { token, signal });
    if (body.state === 'inWork' && body.work.fraction > 0) break;
    if (body.state === 'done') throw new Error('the recording was answered before it could be cancelled');
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
  const startMs = performance.now();
  await ask(origin, 'DELETE', `/v1/predictions/${key}`, { token, signal });
  const { status } = await answered;
  if (status !== 409) throw new Error(`a cancelled request was answered ${status}`);
  return performance.now() - startMs;
}
