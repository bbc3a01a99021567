import { HttpProblem } from '../http/http-problem.ts';

/** A place in the queue: taken before a body is read, left when the answer is known or nobody waits for it any more. */
interface Seat {
  /** Waits for a turn, then does the job. @throws AbortError when the signal aborts while it waits */
  run<Answer>(signal: AbortSignal, job: () => Promise<Answer>): Promise<Answer>;
  leave(): void;
}

/** Decides how many recordings are received, wait and are listened to at once. */
export interface PredictionQueue {
  /** @throws HttpProblem SERVER_BUSY when everything is taken */
  takeSeat(): Seat;
  /** @throws HttpProblem SERVER_BUSY from now on; seats that are taken stay */
  close(): void;
}

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;

/**
 * @param running jobs that are done at once; the listener shares its workers among them, so that a short one is not stuck behind a
 * long one
 * @param waiting jobs that may wait besides
 */
export function createPredictionQueue({ running, waiting }: { running: number; waiting: number }): PredictionQueue {
  let seats = running + waiting;
  let turns = running;
  let closed = false;
  /** Moving average of how long a job takes. */
  let jobSeconds = MIN_RETRY_SECONDS;
  const waiters: (() => void)[] = [];

  async function waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (turns > 0) {
      turns -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      const at = waiters.indexOf(resolve);
      // Not among them any more: the turn has come at this very moment, and the job notices the signal itself.
      if (at === -1) return;
      waiters.splice(at, 1);
      reject(signal.reason);
    };
    waiters.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise;
    signal.removeEventListener('abort', abort);
  }

  function passTurnOn(): void {
    const next = waiters.shift();
    if (next) next();
    else turns += 1;
  }

  async function run<Answer>(signal: AbortSignal, job: () => Promise<Answer>): Promise<Answer> {
    await waitForTurn(signal);
    const start = performance.now();
    try {
      signal.throwIfAborted();
      return await job();
    } finally {
      jobSeconds += ((performance.now() - start) / 1000 - jobSeconds) / 8;
      passTurnOn();
    }
  }

  return {
    takeSeat() {
      if (closed || seats === 0) {
        const turnsAhead = (waiters.length + running) / running;
        const seconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * turnsAhead)));
        throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: seconds });
      }
      seats -= 1;
      let left = false;
      return {
        run,
        leave() {
          if (left) return;
          left = true;
          seats += 1;
        },
      };
    },
    close() {
      closed = true;
    },
  };
}
