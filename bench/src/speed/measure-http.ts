import { readFile, rm } from 'node:fs/promises';
import type { Config } from '@chiffchaff/cli';
import { predictionSchema } from '@chiffchaff/contract';
import { askPrediction } from '../harness/api.ts';
import { median, percentile } from '../harness/measures.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';
import { type MakeOptions, makeRecording } from './made-recordings.ts';

export interface HttpSpeed {
  readonly recordingSeconds: number;
  readonly requests: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

const RECORDING_SECONDS = 15;

/** One recording after another is sent to a server of its own, with overlap 1.5 s; the first few are not counted. */
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
    return { recordingSeconds: RECORDING_SECONDS, requests, medianMs: median(takenMs), p95Ms: percentile(takenMs, 0.95) };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
