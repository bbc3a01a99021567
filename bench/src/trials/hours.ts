/** `npm run trial -- hours`: a recording of many hours, if requested with a kill in the middle, and with short ones alongside. */
import { openAsBlob } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Prediction } from '@chiffchaff/contract';
import { ask, askPrediction, codeOf, signUpSomebody } from '../harness/api.ts';
import { makeRecording, makeSound } from '../harness/make-recording.ts';
import { lookUntil, median, round, timed } from '../harness/measures.ts';
import { readTreeMemory } from '../harness/processes.ts';
import type { Sound } from '../harness/recordings.ts';
import { makeOwnDataFolder, type StartedServer, startServer } from '../harness/server.ts';

export interface HoursOptions {
  readonly hours: number;
  /** Kills and restarts the server when this fraction of the recording has been analysed; null for never. */
  readonly killAt: number | null;
  /** Number of recordings of 15 s that are sent meanwhile. */
  readonly beside: number;
  readonly say: (line: string) => void;
}

/** Clips start every 1.5 s, and a loop of a whole number of steps repeats them exactly. */
const LOOP_SECONDS = 60;
/** Most memory that the server may use at any moment, including its decoders. */
const MOST_MEGABYTES = 600;
/** Most time that a recording of 15 s may take alongside one of hours. */
const MOST_SECONDS_BESIDE = 1;
const KEY = 'a-recording-of-hours';

/** How far the recording has come: the fraction analysed, 0 to 1, and its prediction when there is one. */
interface State {
  readonly fraction: number;
  readonly prediction?: Prediction;
}

/**
 * Loops a minute of real birds, and watches the memory of the server and its child processes. A server that is killed and restarted must
 * reach the same result without analysing the beginning again. Short recordings sent meanwhile must not wait for the long one.
 */
export async function runHours({ hours, killAt, beside, say }: HoursOptions) {
  await using made = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-hours-'));
  await using data = await makeOwnDataFolder();
  const [folder, dataDir] = [made.path, data.path];
  const seconds = hours * 3600;
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', MAX_RECORDING_SECONDS: String(seconds + 60) };
  let server: StartedServer = await startServer(environment, { dataDir });
  let highestBytes = 0;
  const watch = setInterval(() => {
    highestBytes = Math.max(highestBytes, readTreeMemory(server.pid));
  }, 500);
  try {
    say(`making ${hours} h of sound`);
    const path = join(folder, 'night.flac');
    await makeRecording(path, { seconds, loopSeconds: LOOP_SECONDS });
    const token = await signUpSomebody(server.origin);
    const start = performance.now();
    // The prediction is requested below; a killed server does not respond.
    const night = { name: 'night.flac', buffer: await openAsBlob(path), key: KEY, fields: { keepAudio: 'nothing' } };
    askPrediction(server.origin, { token, ...night }).catch(() => {});
    const waitFor = (least: number, everyMs = 2000): Promise<State> => {
      const isReached = ({ fraction }: State): boolean => {
        if (everyMs > 1000) say(`analysed ${fraction}`);
        return fraction >= least;
      };
      return lookUntil(() => look(server.origin, token), isReached, { withinMs: Number.POSITIVE_INFINITY, everyMs });
    };
    let resumedAt: number | null = null;
    if (killAt !== null) {
      await waitFor(killAt);
      await server.kill();
      server = await startServer(environment, { dataDir });
      resumedAt = (await waitFor(Number.MIN_VALUE, 20)).fraction;
      say(`killed at ${killAt}, taken up at ${resumedAt}`);
    }
    if (beside > 0) await waitFor(0.01);
    const besideSeconds = beside === 0 ? [] : await sendShortOnes(server.origin, { token, times: beside });
    if (beside > 0 && (await look(server.origin, token)).prediction) throw new Error('It ended too early: take a longer one');
    const { prediction } = await waitFor(1, 5000);
    if (prediction === undefined) throw new Error('There is no prediction');
    const tookSeconds = (performance.now() - start) / 1000;
    const [megabytes, longest] = [round(highestBytes / 1e6), round(Math.max(0, ...besideSeconds), 3)];
    return {
      ...{ hours, tookSeconds: round(tookSeconds), timesRealTime: round(seconds / tookSeconds), highestMegabytes: megabytes },
      ...{ detections: prediction.detections.length, verdict: prediction.verdict.sentence, killedAt: killAt, resumedAt },
      beside: { answers: besideSeconds.length, medianSeconds: round(median(besideSeconds), 3), longestSeconds: longest },
      faults: [
        ...compareLoops(prediction, seconds),
        ...(resumedAt !== null && resumedAt < (killAt ?? 0) / 2 ? [`taken up at ${resumedAt}, not at ${killAt}`] : []),
        ...(megabytes > MOST_MEGABYTES ? [`took ${megabytes} MB of memory; ${MOST_MEGABYTES} are allowed`] : []),
        ...(longest >= MOST_SECONDS_BESIDE ? [`a short recording took ${longest} s; ${MOST_SECONDS_BESIDE} is allowed`] : []),
      ],
    };
  } finally {
    clearInterval(watch);
    await server.kill();
  }
}

/** @throws Error when the analysis has failed */
async function look(origin: string, token: string): Promise<State> {
  const { status, body } = await ask(origin, 'GET', `/v1/predictions/${KEY}`, { token });
  if (status !== 200) return { fraction: 0 };
  if (body.state === 'failed') throw new Error(`It failed: ${JSON.stringify(body.problem)}`);
  if (body.state === 'done') return { fraction: 1, prediction: body.prediction };
  // Until there is a prediction, it has not come to its end.
  return { fraction: Math.min(body.work.fraction ?? 0, 0.9999) };
}

/**
 * Sends recordings of 15 s one after the other, no two of twenty the same.
 *
 * @returns seconds from the first byte sent to the last byte of each response
 * @throws Error when one gets no prediction
 */
async function sendShortOnes(origin: string, { token, times }: { readonly token: string; readonly times: number }) {
  const sounds: Sound[] = [];
  while (sounds.length < Math.min(times, 20))
    sounds.push(await makeSound('short.m4a', { startSeconds: 5 * sounds.length, seconds: 15 }));
  const took: number[] = [];
  while (took.length < times)
    for (const sound of sounds.slice(0, times - took.length)) {
      const { result, ms } = await timed(() => askPrediction(origin, { token, ...sound, fields: { keepAudio: 'nothing' } }));
      if (result.status !== 200) throw new Error(`A short recording was answered ${codeOf(result)}`);
      took.push(ms / 1000);
      // Different pauses, so that they arrive at any moment of the long one's analysis.
      await delay(100 + 250 * (took.length % 5));
    }
  return took;
}

/** Every loop except the first and the last, whose neighbours differ, must have the same detections at the same positions. */
function compareLoops({ detections }: Prediction, seconds: number): string[] {
  const loops = Math.round(seconds / LOOP_SECONDS);
  const found = Array.from({ length: loops }, (): string[] => []);
  for (const { scientificName, startSeconds, endSeconds, score } of detections) {
    const loop = Math.floor(startSeconds / LOOP_SECONDS);
    const from = round(startSeconds - loop * LOOP_SECONDS, 2);
    found[loop]?.push(`${scientificName} ${from}+${round(endSeconds - startSeconds, 2)} ${round(score, 3)}`);
  }
  const expected = JSON.stringify(found[1]?.toSorted());
  const differing = found.slice(1, -1).filter((loop) => JSON.stringify(loop.toSorted()) !== expected).length;
  return differing === 0 ? [] : [`${differing} of ${loops - 2} loops differ from the second`];
}
