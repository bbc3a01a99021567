import { mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '@chiffchaff/cli';
import { predictionSchema } from '@chiffchaff/contract';
import { startProgram } from './child-program.ts';
import { type MakeOptions, makeRecording } from './made-recordings.ts';
import { median, percentile } from './quantiles.ts';

export interface HttpSpeed {
  readonly recordingSeconds: number;
  readonly requests: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

const RECORDING_SECONDS = 15;

/** One recording after another is sent to a server of its own, with overlap 1.5 s; the first few are not counted. */
export async function measureHttp(input: {
  readonly config: Config;
  readonly make: MakeOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly requests: number;
}): Promise<HttpSpeed> {
  const { config, make, env, requests } = input;
  const recording = await readFile(await makeRecording({ seconds: RECORDING_SECONDS, sampleRate: 44_100, format: 'm4a' }, make));
  const dataDir = await lendModels(config, path.join(make.folder, 'server'));
  const server = startProgram(process.execPath, [path.join(config.repositoryFolder, 'apps/server/src/main.ts')], {
    env: {
      ...env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      OPEN_PREDICTION: 'true',
      NODE_ENV: 'development',
      LOG_LEVEL: 'silent',
    },
    signal: make.signal,
  });
  try {
    const line = await server.nextLine((each) => each.includes('is listening on'));
    const url = /https?:\/\/\S+/.exec(line)?.[0] ?? '';
    const takenMs: number[] = [];
    for (let request = -3; request < requests; request++) {
      const form = new FormData();
      form.set('overlapSeconds', '1.5');
      form.set('file', new Blob([recording]), 'bench.m4a');
      const startMs = performance.now();
      const response = await fetch(new URL('/get_prediction', url), { method: 'POST', body: form, signal: make.signal });
      const answer = await response.text();
      if (request >= 0) takenMs.push(performance.now() - startMs);
      if (response.status !== 200) throw new Error(`the server answered ${response.status}: ${answer.slice(0, 300)}`);
      predictionSchema.parse(JSON.parse(answer));
    }
    return { recordingSeconds: RECORDING_SECONDS, requests, medianMs: median(takenMs), p95Ms: percentile(takenMs, 0.95) };
  } finally {
    await server.stop();
  }
}

/** A data folder of its own, so that no database of anyone is touched, with the installed model and decoder in it. */
async function lendModels({ dataDir }: Config, lent: string): Promise<string> {
  await mkdir(lent, { recursive: true });
  for (const name of ['models', 'ffmpeg']) await symlink(path.join(dataDir, name), path.join(lent, name));
  return lent;
}
