import { setTimeout as delay } from 'node:timers/promises';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askPrediction } from '../../harness/api.ts';
import { median, percentile, round } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { type StartedServer, startServer } from '../../harness/server.ts';

/** How the server serves another account meanwhile. */
export interface Others {
  readonly predictionsAnswered: number;
  readonly predictionsRefused: number;
  /** status and body of refusals, each once */
  readonly refusals: readonly string[];
  readonly answerMs: { readonly median: number; readonly most: number };
  readonly healthMs: { readonly median: number; readonly p99: number };
}

/** Starts a server that requires accounts, without attempt limits that would keep a trial from creating them. */
export function startAttacked(
  checkout: string | undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedServer> {
  return startServer(
    { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits, ...environment },
    checkout === undefined ? {} : { checkout },
  );
}

const healthEveryMs = 100;
const predictionEveryMs = 1000;

/** Sends short recordings of one account, and requests `/healthz`, until the signal aborts. */
export async function watchOthers(origin: string, token: string, until: AbortSignal): Promise<Others> {
  const notes = fallingNotes(3);
  const recording = { name: notes.name, bytes: new Uint8Array(notes.buffer) };
  const answerMs: number[] = [];
  const healthMs: number[] = [];
  const refusals = new Set<string>();
  let refused = 0;

  async function predict(): Promise<void> {
    while (!until.aborted) {
      const start = performance.now();
      const { status, body } = await askPrediction(origin, { token, ...recording });
      if (status === 200) answerMs.push(performance.now() - start);
      else {
        refused += 1;
        refusals.add(`${status} ${JSON.stringify(body)}`.replace(/"instance":"[^"]*",/, ''));
      }
      await delay(predictionEveryMs);
    }
  }

  async function watchHealth(): Promise<void> {
    while (!until.aborted) {
      const start = performance.now();
      await ask(origin, 'GET', '/healthz');
      healthMs.push(performance.now() - start);
      await delay(healthEveryMs);
    }
  }

  await Promise.all([predict(), watchHealth()]);
  return {
    predictionsAnswered: answerMs.length,
    predictionsRefused: refused,
    refusals: [...refusals],
    answerMs: { median: round(median(answerMs)), most: round(percentile(answerMs, 1)) },
    healthMs: { median: round(median(healthMs)), p99: round(percentile(healthMs, 0.99)) },
  };
}

/** Faults in how the other account was served. */
export function faultsOf({ predictionsAnswered, predictionsRefused, refusals, healthMs }: Others, mostHealthMs = 500): string[] {
  return [
    ...(predictionsAnswered === 0 ? ['no other account was answered'] : []),
    ...(predictionsRefused > 0
      ? [`${predictionsRefused} recordings of another account were refused: ${refusals.join('; ')}`]
      : []),
    ...(healthMs.p99 > mostHealthMs ? [`/healthz took ${healthMs.p99} ms (p99)`] : []),
  ];
}
