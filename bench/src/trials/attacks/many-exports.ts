import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askPrediction, codeOf } from '../../harness/api.ts';
import { median, percentile, round } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import type { Attack } from './attack.ts';
import { manyDetections, replaceAnswer } from './stored-answers.ts';

const EXPORTS_AT_ONCE = 100;
const LARGE_ANSWERS = 12;
/** Predictions of the account that exports. */
const ANSWERS = 5;
const DETECTIONS = 20_000;
/** A refused export is retried after this time, whatever `Retry-After` says. */
const AGAIN_MS = 100;
/** A request without a response by then is aborted. */
const MOST_ANSWER_MS = 30_000;

/** One account keeps a hundred exports of everything running concurrently, while another one requests its large prediction. */
export const manyExports: Attack = async ({ checkout, say }) => {
  const dataDir = await makeDataFolder();
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };
  const options = { dataDir, ...(checkout === undefined ? {} : { checkout }) };
  let server: StartedServer | null = null;
  const stop = new AbortController();
  try {
    server = await startServer(environment, options);
    const { origin: first } = server;
    const [attacker, other] = [await signUpSomebody(first), await signUpSomebody(first)];
    const notes = { name: 'notes.wav', bytes: new Uint8Array(fallingNotes(3).buffer) };
    const send = async (token: string) =>
      (await askPrediction(first, { token, ...notes, fields: { keepAudio: 'nothing' } })).body;
    const predictions = [];
    for (let sent = 0; sent < ANSWERS; sent += 1) predictions.push(await send(attacker));
    const theirs = await send(other);
    await server.stop();
    for (const each of [...predictions, theirs]) replaceAnswer(dataDir, each, manyDetections(DETECTIONS));
    server = await startServer(environment, options);
    const { origin } = server;
    const exports: Record<string, number> = {};
    const keepExporting = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const status = await exportAll(origin, attacker, stop.signal).catch(() => null);
        if (status === null) continue;
        exports[status] = (exports[status] ?? 0) + 1;
        if (status !== 200) await delay(AGAIN_MS);
      }
    };
    say(`${EXPORTS_AT_ONCE} exports at once, and ${LARGE_ANSWERS} large answers of another account`);
    const attack = Promise.all(Array.from({ length: EXPORTS_AT_ONCE }, keepExporting));
    await delay(1000);
    const answers: Record<string, number> = {};
    const answerMs: number[] = [];
    for (let asked = 0; asked < LARGE_ANSWERS; asked += 1) {
      const start = performance.now();
      const signal = AbortSignal.timeout(MOST_ANSWER_MS);
      const answer = await ask(origin, 'GET', `/v1/predictions/${theirs.id}`, { token: other, signal }).catch(() => null);
      const code = answer === null ? 'none' : codeOf(answer);
      answers[code] = (answers[code] ?? 0) + 1;
      answerMs.push(performance.now() - start);
    }
    stop.abort();
    await attack;
    const answered = answers[200] ?? 0;
    return {
      exportsAtOnce: EXPORTS_AT_ONCE,
      detections: DETECTIONS,
      exports,
      answers,
      answerMs: { median: round(median(answerMs)), most: round(percentile(answerMs, 1)) },
      faults: [
        ...(answered < LARGE_ANSWERS ? [`${answered} of ${LARGE_ANSWERS} large answers of another account were answered`] : []),
        ...((exports[200] ?? 0) > 0 ? [] : ['no export was answered at all']),
      ],
    };
  } finally {
    stop.abort();
    await server?.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** Reads the body without keeping it. */
async function exportAll(origin: string, token: string, signal: AbortSignal): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await fetch(`${origin}/v1/account/export`, { headers, signal });
  for await (const _ of body ?? []);
  return status;
}
