import { HttpProblem } from '../../http/http-problem.ts';
import { createFairOrder } from '../queue/fair-order.ts';

export interface Turn {
  /** Whose work it is: an account, or a recording without one. */
  readonly owner: string;
  /** Waits however many of its owner wait already. For work whose number is limited elsewhere. */
  readonly patient?: boolean;
}

/**
 * Work on large answers and evidence, which the analysis service does one after the other: owners take turns. Of each owner one is done
 * at once and a few wait.
 */
export interface LargeWork {
  /**
   * @throws HttpProblem SERVER_BUSY when too many of the owner wait, or the server stops
   */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  /** Refuses what is only waited for to be seen; what was begun and cannot be refused goes on. */
  beginClosing(): void;
  close(): void;
}

const MOST_WAITING_EACH = 4;
const MOST_WAITING = 64;
const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

interface Waiting {
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly patient: boolean;
  begin(): Promise<void>;
  refuse(reason: unknown): void;
}

export function createLargeWork(): LargeWork {
  const turns = createFairOrder();
  let waiting: Waiting[] = [];
  let current: Waiting | null = null;
  let closing = false;
  /** Moving average of how long a piece of work takes. */
  let seconds = MIN_RETRY_SECONDS;

  const busy = (ahead: number, by: 'largeAnswers' | 'ownLargeAnswers' = 'largeAnswers'): HttpProblem<'SERVER_BUSY'> => {
    const retryAfterSeconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, seconds * ahead)));
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds, by });
  };

  function next(): void {
    if (current !== null) return;
    const [first] = turns.order(waiting);
    if (!first) return;
    waiting = waiting.filter((each) => each !== first);
    current = first;
    const start = performance.now();
    void first.begin().finally(() => {
      turns.note(first.accountId, Date.now());
      seconds += ((performance.now() - start) / 1000 - seconds) / 8;
      current = null;
      next();
    });
  }

  return {
    run({ owner, patient = false }, work) {
      const own = waiting.filter((other) => other.accountId === owner && !other.patient).length;
      if (closing && !patient) return Promise.reject(busy(waiting.length + 1));
      if (!patient && own >= MOST_WAITING_EACH) return Promise.reject(busy(own + 1, 'ownLargeAnswers'));
      if (!patient && waiting.length >= MOST_WAITING) return Promise.reject(busy(waiting.length + 1));
      return new Promise((resolve, reject) => {
        const refuse = (reason: unknown): void => {
          waiting = waiting.filter((each) => each !== turn);
          reject(reason);
        };
        const turn: Waiting = {
          accountId: owner,
          createdAtMs: Date.now(),
          patient,
          refuse,
          begin: () => work().then(resolve, reject),
        };
        waiting.push(turn);
        next();
      });
    },
    beginClosing() {
      closing = true;
      for (const turn of waiting) if (!turn.patient) turn.refuse(busy(1));
      if (current && !current.patient) current.refuse(busy(1));
    },
    close() {
      closing = true;
      for (const turn of waiting) turn.refuse(busy(1));
    },
  };
}
