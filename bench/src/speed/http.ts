import { readFile } from 'node:fs/promises';
import { predictionSchema } from '@chiffchaff/contract';
import { askPrediction, codeOf } from '../harness/api.ts';
import { median, percentile, round, timed } from '../harness/measures.ts';
import { startServer } from '../harness/server.ts';
import { type Measure, makeRecording } from './part.ts';

/** Sends one recording after another to a separate server, with an overlap of 1.5 s; the first three are not counted. */
export const measureHttp: Measure = async ({ config, make, isQuick, signal }) => {
  const requests = isQuick ? 10 : 100;
  const file = await makeRecording({ seconds: 15, sampleRate: 44_100, format: 'm4a' }, make);
  const recording = { name: 'bench.m4a', buffer: await readFile(file), fields: { overlapSeconds: '1.5' } };
  await using server = await startServer({ INFERENCE_WORKERS: `${config.workers}`, LOG_LEVEL: 'silent' });
  const tookMs: number[] = [];
  for (let request = -3; request < requests; request++) {
    const { result, ms } = await timed(() => askPrediction(server.origin, { ...recording, signal }));
    if (request >= 0) tookMs.push(ms);
    if (result.status !== 200) throw new Error(`the server answered ${codeOf(result)}`);
    predictionSchema.parse(result.body);
  }
  return [
    {
      what: '15 s of M4A, HTTP',
      figure: `median ${round(median(tookMs))} ms, 95 % within ${round(percentile(tookMs, 0.95))} ms (${requests} requests)`,
    },
  ];
};
