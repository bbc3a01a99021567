import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askPrediction } from '../../harness/api.ts';
import { round } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { type AnalysisMemory, analysisPidOf, inspectable, watchAnalysisMemory } from './analysis-memory.ts';
import type { Attack } from './attack.ts';
import { manyDetections, replaceAnswer } from './stored-answers.ts';

interface Kind {
  readonly name: string;
  readonly cuts: number;
  readonly isLarge: boolean;
  /** whether the connection is cut after the first bytes of the response, or as soon as the request is sent */
  readonly whenRead: boolean;
}

/** As many as fit in three minutes. Those of a large prediction take longer; if they leak, each leaks more than ten megabytes. */
const kinds: readonly Kind[] = [
  { name: 'after the first bytes', cuts: 4000, isLarge: false, whenRead: true },
  { name: 'before the first byte', cuts: 4000, isLarge: false, whenRead: false },
  { name: 'large, after the first bytes', cuts: 100, isLarge: true, whenRead: true },
  { name: 'large, before the first byte', cuts: 100, isLarge: true, whenRead: false },
];
/** Just below large, so that the server opens it without taking turns, and large. */
const DETECTIONS = { small: 2400, large: 20_000 };
const AT_ONCE = 4;
const WHOLE_BEFORE = 20;
/** No more are cut after this time. */
const MOST_SECONDS = 180;
const ALLOWED_GROWTH = 1.1;
const MOST_WAIT_MS = 120_000;
const AGAIN_MS = 500;

interface Cuts {
  readonly cuts: number;
  readonly seconds: number;
  readonly megabytesBefore: AnalysisMemory;
  readonly megabytesAfter: AnalysisMemory | null;
}

/** One account requests tables again and again and cuts off each response. The analysis process may grow by at most 10 %. */
export const cutExports: Attack = async ({ checkout, say }) => {
  const dataDir = await makeDataFolder();
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits, ...inspectable(checkout) };
  const options = { dataDir, ...(checkout === undefined ? {} : { checkout }) };
  let server: StartedServer | null = null;
  try {
    server = await startServer(environment, options);
    const token = await signUpSomebody(server.origin);
    const notes = { name: 'notes.wav', bytes: new Uint8Array(fallingNotes(3).buffer) };
    const send = async () =>
      (await askPrediction(server?.origin ?? '', { token, ...notes, fields: { keepAudio: 'nothing' } })).body;
    const [small, large] = [await send(), await send()];
    await server.stop();
    replaceAnswer(dataDir, small, manyDetections(DETECTIONS.small));
    replaceAnswer(dataDir, large, manyDetections(DETECTIONS.large));
    server = await startServer(environment, options);
    const { origin } = server;
    const path = (isLarge: boolean) => `/v1/predictions/${isLarge ? large.id : small.id}/export?format=csv`;
    for (let asked = 0; asked < WHOLE_BEFORE; asked += 1) await ask(origin, 'GET', path(asked % 2 === 0), { token });
    const pid = analysisPidOf(server);
    const memory = await watchAnalysisMemory(server);
    const measured: Record<string, Cuts> = {};
    for (const { name, cuts, isLarge, whenRead } of kinds) {
      const megabytesBefore = await memory();
      say(`${cuts} exports are cut off ${name}`);
      const start = performance.now();
      let sent = 0;
      const keepCutting = async (): Promise<void> => {
        while (sent < cuts && performance.now() - start < MOST_SECONDS * 1000) {
          sent += 1;
          await cutOff(origin, path(isLarge), token, whenRead);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, keepCutting));
      const seconds = round((performance.now() - start) / 1000);
      // The server may still be making what was cut off; this export waits behind it.
      await exportWhole(origin, path(isLarge), token);
      const megabytesAfter = await memory().catch(() => null);
      measured[name] = { cuts: sent, seconds, megabytesBefore, megabytesAfter };
      say(JSON.stringify(measured[name]));
      if (analysisPidOf(server) !== pid) break;
    }
    const folder = join(dataDir, 'exports');
    const filesLeft = existsSync(folder) ? readdirSync(folder).length : 0;
    return {
      atOnce: AT_ONCE,
      detections: DETECTIONS,
      measured,
      filesLeft,
      faults: [
        ...Object.entries(measured).flatMap(([name, { megabytesBefore: before, megabytesAfter: after }]) => {
          if (after === null) return [`${name}: the analysis process ended`];
          return after.held > before.held * ALLOWED_GROWTH || after.resident > before.resident * ALLOWED_GROWTH
            ? [`${name}: from ${before.held} (${before.resident} resident) to ${after.held} (${after.resident}) MB`]
            : [];
        }),
        ...(filesLeft > 0 ? [`${filesLeft} files were left`] : []),
      ],
    };
  } finally {
    await server?.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** Retries while the server is busy with what was cut off. */
async function exportWhole(origin: string, path: string, token: string): Promise<void> {
  const giveUp = AbortSignal.timeout(MOST_WAIT_MS);
  while (!giveUp.aborted) {
    const answer = await ask(origin, 'GET', path, { token, signal: giveUp }).catch(() => null);
    if (answer?.status === 200) return;
    await delay(AGAIN_MS);
  }
}

/** Resolves when the connection is closed. */
function cutOff(origin: string, path: string, token: string, whenRead: boolean): Promise<void> {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('close', () => resolve());
    socket.on('error', () => {});
    if (whenRead) socket.once('data', () => socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`, () => {
      if (!whenRead) socket.destroy();
    });
  });
}
