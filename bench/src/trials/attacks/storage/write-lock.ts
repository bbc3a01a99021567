import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signUpSomebody, withoutAttemptLimits } from '../../../harness/accounts.ts';
import { type Answer, ask, askIdentity, askPrediction, codeOf } from '../../../harness/api.ts';
import { median, percentile, round } from '../../../harness/measures.ts';
import { fallingNotes } from '../../../harness/recordings.ts';
import { startServer } from '../../../harness/server.ts';
import type { Attack } from '../attack.ts';

const LOCKED_SECONDS = 20;
/** Time within which `/healthz` must respond, even on a busy machine. */
const HEALTH_MS = 100;
/** Longer than a refused write waits for the lock. */
const REFUSAL_MS = 3000;

/** Another program holds the database's write lock for 20 seconds, while users read, sign up and send recordings. */
export const writeLock: Attack = async ({ checkout, say }) => {
  const server = await startServer(
    { ...withoutAttemptLimits, OPEN_PREDICTION: 'false', MIN_FREE_DISK_BYTES: '0' },
    checkout === undefined ? {} : { checkout },
  );
  const faults: string[] = [];
  /** By request and response. */
  const counts: Record<string, Record<string, number>> = {};
  const tally = (what: string, answer: string): void => {
    counts[what] ??= {};
    counts[what][answer] = (counts[what][answer] ?? 0) + 1;
  };
  const healthMs: number[] = [];
  const refusalMs: number[] = [];
  try {
    const { origin } = server;
    const token = await signUpSomebody(origin);
    const notes = (seconds: number) => ({ name: 'notes.wav', bytes: new Uint8Array(fallingNotes(seconds).buffer) });
    await askPrediction(origin, { token, ...notes(3) });
    // Analysed while the lock is held; cannot be stored until it is released.
    const accepted = askPrediction(origin, { token, key: 'accepted-before', ...notes(90) });
    await wait(1000);
    say(`Another program holds the lock for ${LOCKED_SECONDS} s …`);
    const holder = spawn(
      process.execPath,
      [fileURLToPath(new URL('hold-write-lock.ts', import.meta.url)), server.dataDir, String(LOCKED_SECONDS)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const released = once(holder, 'exit');
    await once(holder.stdout, 'data');
    let locked = true;
    const repeat = async (everyMs: number, step: () => Promise<void>): Promise<void> => {
      while (locked) {
        await step().catch((error: unknown) => tally('no answer', String(error)));
        await wait(everyMs);
      }
    };
    const count = (what: string, answer: Answer): void => tally(what, codeOf(answer));
    const write = async (what: string, asking: () => Promise<Answer>): Promise<void> => {
      const start = performance.now();
      const answer = await asking();
      count(what, answer);
      if (answer.status < 400) return;
      refusalMs.push(performance.now() - start);
      if (answer.status !== 503 || answer.headers.get('retry-after') === null)
        faults.push(`${what} was refused with ${answer.status}, or not told when to come again`);
    };
    const probes = [
      repeat(20, async () => {
        const start = performance.now();
        count('GET /healthz', await ask(origin, 'GET', '/healthz'));
        healthMs.push(performance.now() - start);
      }),
      repeat(100, async () => count('GET /v1/predictions', await ask(origin, 'GET', '/v1/predictions', { token }))),
      repeat(500, () =>
        write('sign-up', () =>
          askIdentity(origin, 'signUp', { email: `${Math.random()}@example.org`, password: 'two short notes' }),
        ),
      ),
      repeat(500, () => write('prediction', () => askPrediction(origin, { token, ...notes(3) }))),
    ];
    await released;
    locked = false;
    await Promise.all(probes);
    const answer = await accepted;
    if (answer.status !== 200)
      faults.push(
        `The recording that had been accepted before was answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`,
      );
    const { body } = await ask(origin, 'GET', '/v1/predictions', { token });
    if (!body.predictions.some(({ id }: { id: string }) => id === answer.body.id)) faults.push('… and is not in the history');
    const after = await askPrediction(origin, { token, ...notes(3) });
    if (after.status !== 200) faults.push(`After the lock a recording is answered ${after.status}`);
  } finally {
    await server.stop();
  }
  const healthMaxMs = Math.max(...healthMs);
  if (percentile(healthMs, 0.99) > HEALTH_MS) faults.push(`/healthz took ${round(percentile(healthMs, 0.99))} ms (99 %)`);
  if (Math.max(...refusalMs) > REFUSAL_MS) faults.push(`a write was refused after ${round(Math.max(...refusalMs))} ms`);
  return {
    lockedSeconds: LOCKED_SECONDS,
    healthMs: { asked: healthMs.length, p99: round(percentile(healthMs, 0.99)), max: round(healthMaxMs) },
    refusedAfterMs: { median: round(median(refusalMs)), max: round(Math.max(...refusalMs)) },
    answers: counts,
    faults: [...new Set(faults)],
  };
};
