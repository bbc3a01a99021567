import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { predictionSchema } from '@chiffchaff/contract';
import { signUpSomebody } from '../harness/accounts.ts';
import { ask, askPrediction } from '../harness/api.ts';
import { median, percentile, round } from '../harness/measures.ts';
import { limitedRow } from '../harness/report.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';
import { makeRecording } from './made-recordings.ts';
import type { Measure } from './part.ts';

/** Its analysis takes several seconds, so that it can be cancelled in the middle. */
const CANCELLED_SECONDS = 1800;
const CANCELLED_TIMES = 10;
const MOST_CANCEL_MS = 500;

/** Sends one recording after another to a separate server, with an overlap of 1.5 s; the first three are not counted. */
export const measureHttp: Measure = async ({ config, make, isQuick, signal }) => {
  const requests = isQuick ? 10 : 100;
  const file = await makeRecording({ seconds: 15, sampleRate: 44_100, format: 'm4a' }, make);
  const recording = { name: 'bench.m4a', bytes: new Uint8Array(await readFile(file)), fields: { overlapSeconds: '1.5' } };
  const dataDir = await makeDataFolder(config.dataDir);
  const server = await startServer({ INFERENCE_WORKERS: `${config.workers}`, LOG_LEVEL: 'silent' }, { dataDir });
  try {
    const tookMs: number[] = [];
    for (let request = -3; request < requests; request++) {
      const startMs = performance.now();
      const { status, body } = await askPrediction(server.origin, { ...recording, signal });
      if (request >= 0) tookMs.push(performance.now() - startMs);
      if (status !== 200) throw new Error(`the server answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
      predictionSchema.parse(body);
    }
    const long = await makeRecording({ seconds: CANCELLED_SECONDS, sampleRate: 48_000, format: 'mp3' }, make);
    const bytes = new Uint8Array(await readFile(long));
    const token = await signUpSomebody(server.origin);
    const cancelledMs: number[] = [];
    while (cancelledMs.length < CANCELLED_TIMES) {
      const key = `cancelled-${cancelledMs.length}`;
      cancelledMs.push(await cancelInTheMiddle(server.origin, { name: 'long.mp3', token, bytes, key, signal }));
    }
    return [
      {
        what: '15 s of M4A, HTTP',
        figure: `median ${round(median(tookMs))} ms, 95 % within ${round(percentile(tookMs, 0.95))} ms (${requests} requests)`,
      },
      limitedRow('cancelled, at most', round(Math.max(...cancelledMs)), { unit: 'ms', most: MOST_CANCEL_MS }),
    ];
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};

interface Cancelled {
  readonly name: string;
  readonly token: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** @returns milliseconds from the request that cancels an analysis to the response to the request that sent the recording */
async function cancelInTheMiddle(origin: string, recording: Cancelled): Promise<number> {
  const { token, key, signal } = recording;
  const answered = askPrediction(origin, recording);
  for (;;) {
    const { body } = await ask(origin, 'GET', `/v1/predictions/${key}`, { token, signal });
    if (body.state === 'inWork' && body.work.fraction > 0) break;
    if (body.state === 'done') throw new Error('the recording was answered before it could be cancelled');
    await delay(20, undefined, { signal });
  }
  const startMs = performance.now();
  await ask(origin, 'DELETE', `/v1/predictions/${key}`, { token, signal });
  const { status } = await answered;
  if (status !== 409) throw new Error(`a cancelled request was answered ${status}`);
  return performance.now() - startMs;
}
