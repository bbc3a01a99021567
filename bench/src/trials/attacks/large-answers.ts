import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Detection } from '@chiffchaff/contract';
import { signUpSomebody } from '../../harness/accounts.ts';
import { ask, askPrediction } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { round } from '../../harness/measures.ts';
import { makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { readTreeMemory } from '../../harness/tree-memory.ts';
import type { Attack } from './attack.ts';
import { replaceAnswer } from './stored-answers.ts';
import { type Health, watchHealth } from './watch-health.ts';

const seconds = 600;
const requestsAtOnce = 40;
/** Requests without a response by then are aborted. */
const mostWaveMs = 30_000;
const mostStopMs = 40_000;
const memoryEveryMs = 250;
/** Detections in a prediction stored by a version without a limit. */
const olderDetections = 329_471;

const allowed = { p99Ms: 100, megabytes: 1200, stopSeconds: 20 } as const;

interface Wave {
  /** number of responses by status; `none` for requests that were aborted or broke off */
  readonly answers: Readonly<Record<string, number>>;
  readonly megabytes: number;
  readonly seconds: number;
  readonly health: Health;
}

type RequestLine = readonly [method: string, path: string, body?: object];

/**
 * One account sends ten minutes of audio with the settings that detect most, and requests the prediction forty times concurrently: as it
 * is, under other conditions, and as every kind of file; then a prediction stored by an older version. Meanwhile the server must respond
 * to others, stay within its memory, and end when asked to.
 */
export const attackWithLargeAnswers: Attack = async ({ checkout, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-attack-'));
  const dataDir = await makeDataFolder();
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error' };
  const options = { dataDir, ...(checkout === undefined ? {} : { checkout }) };
  let server: StartedServer | null = null;
  let highestBytes = 0;
  const watch = setInterval(() => {
    if (server) highestBytes = Math.max(highestBytes, readTreeMemory(server.pid));
  }, memoryEveryMs);
  try {
    say('making ten minutes of sound');
    const path = join(folder, 'dense.mp3');
    await makeRecording(path, { seconds, loopSeconds: 120 });
    server = await startServer(environment, options);
    const token = await signUpSomebody(server.origin);
    say('sending it');
    const start = performance.now();
    const stopWatching = watchHealth(server.origin);
    const { status, body } = await askPrediction(server.origin, {
      token,
      name: 'dense.mp3',
      bytes: new Uint8Array(await readFile(path)),
      fields: { minScore: '0', overlapSeconds: '2.9', keepAudio: 'nothing' },
    });
    if (status !== 200) throw new Error(`The recording was answered ${status} ${JSON.stringify(body)}`);
    const analysis = { seconds: round((performance.now() - start) / 1000), health: await stopWatching() };
    const at = `/v1/predictions/${body.id}`;
    const files: RequestLine[] = [
      ...(['csv', 'raven', 'audacity', 'json'] as const).map((format): RequestLine => ['GET', `${at}/export?format=${format}`]),
      ...([
        ['GET', `${at}/events`],
        ['GET', '/v1/predictions/export'],
        ['GET', '/v1/account/export'],
      ] as const),
    ];
    const waves: Record<string, Wave> = {};
    const attack = async (name: string, asked: readonly RequestLine[]): Promise<void> => {
      if (server === null) return;
      say(`${requestsAtOnce} times: ${name}`);
      waves[name] = await sendWave(server.origin, token, asked);
      say(JSON.stringify(waves[name]));
    };
    await attack('the answer', [['GET', at]]);
    await attack('other conditions', [['POST', `${at}/conditions`, { minScore: 0 }]]);
    await attack('files', files);
    const stopped = [await stopUnderWork(server, token, [['GET', at], ['POST', `${at}/conditions`, { minScore: 0 }], ...files])];
    if (checkout === undefined) {
      const older = Array.from({ length: olderDetections }, (_, index) => ({
        ...(body.detections[index % body.detections.length] as Detection),
        startSeconds: (index * seconds) / olderDetections,
      }));
      replaceAnswer(dataDir, body, older);
      server = await startServer(environment, options);
      await attack('an answer of an older version', [['GET', at], ...files]);
      stopped.push(await stopUnderWork(server, token, [['GET', at]]));
    }
    server = null;
    const stopSeconds = round(Math.max(...stopped));
    const measured = [analysis.health, ...Object.values(waves).map(({ health }) => health)];
    const p99Ms = Math.max(...measured.map((health) => health.p99Ms));
    const megabytes = round(highestBytes / 1e6);
    return {
      detections: body.detections.length,
      detectionsLeftOut: body.detectionsLeftOut ?? 0,
      answerMegabytes: round(JSON.stringify(body).length / 1e6),
      analysis,
      waves,
      highestP99Ms: p99Ms,
      highestMegabytes: megabytes,
      stopSeconds,
      faults: [
        ...(p99Ms > allowed.p99Ms ? [`/healthz took ${p99Ms} ms (99 %); ${allowed.p99Ms} are allowed`] : []),
        ...(megabytes > allowed.megabytes ? [`took ${megabytes} MB of memory; ${allowed.megabytes} are allowed`] : []),
        ...(stopSeconds > allowed.stopSeconds ? [`took ${stopSeconds} s to end; ${allowed.stopSeconds} are allowed`] : []),
        ...Object.entries(waves).flatMap(([name, { answers }]) => ((answers[200] ?? 0) > 0 ? [] : [`${name}: no answer at all`])),
      ],
    };
  } finally {
    clearInterval(watch);
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
};

/**
 * Sends all requests concurrently, cycling through `asked`, and waits for the responses that arrive in time. Counts the bytes of bodies
 * without keeping them.
 */
async function sendWave(origin: string, token: string, asked: readonly RequestLine[]): Promise<Wave> {
  const agent = new Agent({ keepAlive: false });
  const giveUp = AbortSignal.timeout(mostWaveMs);
  const answers: Record<string, number> = {};
  let bytes = 0;
  const send = ([method, path, body]: RequestLine): Promise<void> =>
    new Promise((resolve) => {
      let isCounted = false;
      const count = (answer: number | string): void => {
        if (isCounted) return;
        isCounted = true;
        answers[answer] = (answers[answer] ?? 0) + 1;
        resolve();
      };
      const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const sent = request(new URL(path, origin), { method, agent, headers, signal: giveUp }, (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.once('error', () => count('none'));
        response.once('end', () => count(response.statusCode ?? 'none'));
      });
      sent.once('error', () => count('none'));
      sent.end(body ? JSON.stringify(body) : undefined);
    });
  const stopWatching = watchHealth(origin);
  const start = performance.now();
  await Promise.all(Array.from({ length: requestsAtOnce }, (_, index) => send(asked[index % asked.length] ?? ['GET', '/'])));
  const took = (performance.now() - start) / 1000;
  agent.destroy();
  return { answers, megabytes: round(bytes / 1e6), seconds: round(took), health: await stopWatching() };
}

/** @returns seconds from SIGTERM, in the middle of a wave, to the end of the server, or to the time when it had to be killed */
async function stopUnderWork(server: StartedServer, token: string, asked: readonly RequestLine[]): Promise<number> {
  const { origin } = server;
  const wave = Promise.all(
    Array.from({ length: requestsAtOnce }, async (_, index) => {
      const [method, path, body] = asked[index % asked.length] ?? ['GET', '/'];
      const headers = body ? { headers: { 'content-type': 'application/json' } } : {};
      await ask(origin, method, path, { token, ...(body ? { body: JSON.stringify(body) } : {}), ...headers }).catch(() => {});
    }),
  );
  await delay(500);
  const start = performance.now();
  const stopped = await Promise.race([server.stop().then(() => true), delay(mostStopMs, false, { ref: false })]);
  const took = (performance.now() - start) / 1000;
  if (!stopped) await server.kill();
  await wave;
  return took;
}
