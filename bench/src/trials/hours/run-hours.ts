import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Prediction } from '@chiffchaff/contract';
import { signUpSomebody } from '../../harness/accounts.ts';
import { ask } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { round } from '../../harness/measures.ts';
import { makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { readTreeMemory } from '../../harness/tree-memory.ts';
import { askBeside } from './ask-beside.ts';

export interface HoursOptions {
  readonly hours: number;
  /** Kills and restarts the server when this fraction of the recording has been analysed; null for never. */
  readonly killAt: number | null;
  /** Number of recordings of 15 s that are sent meanwhile. */
  readonly beside: number;
  readonly say: (line: string) => void;
}

/** Clips start every 1.5 s, and a loop of a whole number of steps repeats them exactly. */
const loopSeconds = 60;
const memoryEveryMs = 500;
/** Most memory that the server may use at any moment, including its decoders. */
const mostMegabytes = 600;
/** Most time that a recording of 15 s may take alongside one of hours. */
const mostSecondsBeside = 1;
const key = 'a-recording-of-hours';

/**
 * Sends a recording of hours, made by looping a minute of real birds, and watches the memory of the server and its child processes. A
 * server that is killed and restarted must reach the same result without analysing the beginning again. Short recordings sent meanwhile
 * must not wait for the long one.
 */
export async function runLongRecording({ hours, killAt, beside, say }: HoursOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-hours-'));
  const dataDir = await makeDataFolder();
  const seconds = hours * 3600;
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', MAX_RECORDING_SECONDS: String(seconds + 60) };
  let server: StartedServer | null = null;
  try {
    say(`making ${hours} h of sound`);
    const path = join(folder, 'night.flac');
    await makeRecording(path, { seconds, loopSeconds });
    server = await startServer(environment, { dataDir });
    const token = await signUpSomebody(server.origin);
    const start = performance.now();
    let highestBytes = 0;
    const { pid } = server;
    let watched = pid;
    const watch = setInterval(() => {
      highestBytes = Math.max(highestBytes, readTreeMemory(watched));
    }, memoryEveryMs);
    // The prediction is requested below; a killed server does not respond.
    void send(server.origin, token, path).catch(() => {});
    let resumedAt: number | null = null;
    if (killAt !== null) {
      await waitForFraction(server.origin, token, killAt, say);
      await server.kill();
      server = await startServer(environment, { dataDir });
      watched = server.pid;
      resumedAt = await firstFraction(server.origin, token);
      say(`killed at ${killAt}, taken up at ${resumedAt}`);
    }
    const { origin } = server;
    if (beside > 0) await waitForFraction(origin, token, 0.01, say);
    const stillBusy = async () => (await look(origin, token)).body.state === 'inWork';
    const asked = beside === 0 ? null : await askBeside({ origin, token, folder, times: beside, stillBusy });
    if (asked) say(`beside it: ${JSON.stringify(asked)}`);
    const prediction = await waitForAnswer(origin, token, say);
    clearInterval(watch);
    const tookSeconds = (performance.now() - start) / 1000;
    const faults = [
      ...compareLoops(prediction, seconds),
      ...(resumedAt !== null && killAt !== null && resumedAt < killAt / 2 ? [`taken up at ${resumedAt}, not at ${killAt}`] : []),
      ...(highestBytes > mostMegabytes * 1e6
        ? [`took ${round(highestBytes / 1e6)} MB of memory; ${mostMegabytes} are allowed`]
        : []),
      ...(asked !== null && asked.longestSeconds >= mostSecondsBeside
        ? [`a short recording took ${asked.longestSeconds} s beside it; ${mostSecondsBeside} is allowed`]
        : []),
    ];
    return {
      hours,
      tookSeconds: round(tookSeconds),
      timesRealTime: round(seconds / tookSeconds),
      highestMegabytes: round(highestBytes / 1e6),
      detections: prediction.detections.length,
      verdict: prediction.verdict.sentence,
      killedAt: killAt,
      resumedAt,
      beside: asked,
      faults,
    };
  } finally {
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function send(origin: string, token: string, path: string): Promise<void> {
  const form = new FormData();
  form.append('keepAudio', 'nothing');
  form.append('file', await openAsBlob(path), 'night.flac');
  await ask(origin, 'POST', '/get_prediction', { token, body: form, headers: { 'idempotency-key': key } });
}

const look = (origin: string, token: string) => ask(origin, 'GET', `/v1/predictions/${key}`, { token });

async function waitForFraction(origin: string, token: string, fraction: number, say: (line: string) => void): Promise<void> {
  for (;;) {
    const { status, body } = await look(origin, token);
    if (status === 200 && body.state !== 'inWork') throw new Error(`It ended before it could be interrupted: ${body.state}`);
    if (status === 200 && (body.work.fraction ?? 0) >= fraction) return;
    say(`analysed ${status === 200 ? body.work.fraction : 'nothing yet'}`);
    await delay(2000);
  }
}

/** The first progress that the server reports. */
async function firstFraction(origin: string, token: string): Promise<number> {
  for (;;) {
    const { body } = await look(origin, token);
    if (body.state !== 'inWork') return 1;
    if (body.work.stage === 'listening' && body.work.fraction !== null && body.work.fraction > 0) return body.work.fraction;
    await delay(20);
  }
}

async function waitForAnswer(origin: string, token: string, say: (line: string) => void): Promise<Prediction> {
  for (;;) {
    const { status, body } = await look(origin, token);
    if (status === 200 && body.state === 'done') return body.prediction;
    if (status === 200 && body.state === 'failed') throw new Error(`It failed: ${JSON.stringify(body.problem)}`);
    say(`analysed ${status === 200 ? body.work.fraction : 'nothing yet'}`);
    await delay(5000);
  }
}

/** Every loop except the first and the last, whose neighbours differ, must have the same detections at the same positions. */
function compareLoops({ detections }: Prediction, seconds: number): string[] {
  const loops = Math.round(seconds / loopSeconds);
  const found = Array.from({ length: loops }, (): string[] => []);
  for (const { scientificName, startSeconds, endSeconds, score } of detections) {
    const loop = Math.floor(startSeconds / loopSeconds);
    const from = round(startSeconds - loop * loopSeconds, 2);
    found[loop]?.push(`${scientificName} ${from}+${round(endSeconds - startSeconds, 2)} ${round(score, 3)}`);
  }
  const expected = JSON.stringify(found[1]?.toSorted());
  const differing = found.slice(1, -1).filter((loop) => JSON.stringify(loop.toSorted()) !== expected).length;
  return differing === 0 ? [] : [`${differing} of ${loops - 2} loops differ from the second`];
}
