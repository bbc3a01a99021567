import pLimit, { type LimitFunction } from 'p-limit';
import { HttpProblem } from '../../http/http-problem.ts';
import { unlessAborted } from '../../unless-aborted.ts';

export interface Task {
  /** an account, or a recording without one */
  readonly owner: string;
  /** Waits, however many of its owner wait already. For work that is limited elsewhere. */
  readonly patient?: boolean;
}

/** One that runs, and four that wait. */
const MOST_EACH = 5;
const MOST = 65;
const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

export type LargeAnswerLimiter = ReturnType<typeof createLargeAnswerLimiter>;

/**
 * Limits work on large answers and evidence. Of each owner, one piece runs and a few wait. Owners take turns, because only one piece of
 * each enters the common queue.
 *
 * @param atOnce of how many owners work runs concurrently
 */
export function createLargeAnswerLimiter(atOnce = 1) {
  const all = pLimit(atOnce);
  const ofOwner = new Map<string, LimitFunction>();
  /** Unfinished work. */
  const tasks = new Set<Task>();
  const closing = new AbortController();
  let isClosed = false;
  /** Moving average of the seconds per piece of work. */
  let seconds = MIN_RETRY_SECONDS;

  function busy(ahead: number, by: 'largeAnswers' | 'ownLargeAnswers' = 'largeAnswers'): HttpProblem<'SERVER_BUSY'> {
    const retryAfterSeconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, seconds * ahead)));
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds, by });
  }

  async function begin<T>(task: Task, work: () => Promise<T>): Promise<T> {
    if (isClosed || (closing.signal.aborted && !task.patient)) throw busy(1);
    const start = performance.now();
    try {
      return await work();
    } finally {
      seconds += ((performance.now() - start) / 1000 - seconds) / 8;
    }
  }

  async function enter<T>({ ...task }: Task, work: () => Promise<T>): Promise<T> {
    const { owner } = task;
    const own = ofOwner.get(owner) ?? pLimit(1);
    ofOwner.set(owner, own);
    tasks.add(task);
    try {
      return await own(() => all(() => begin(task, work)));
    } finally {
      tasks.delete(task);
      if (![...tasks].some((other) => other.owner === owner)) ofOwner.delete(owner);
    }
  }

  return {
    /** @throws HttpProblem SERVER_BUSY when too many of the owner wait, or too many in total, or the server stops */
    async run<T>(task: Task, work: () => Promise<T>): Promise<T> {
      if (task.patient) return enter(task, work);
      // Patient work is counted elsewhere; one owner's must not keep others out.
      const refusable = [...tasks].filter(({ patient }) => !patient);
      const own = refusable.filter(({ owner }) => owner === task.owner).length;
      if (closing.signal.aborted || refusable.length >= MOST) throw busy(tasks.size);
      if (own >= MOST_EACH) throw busy(own, 'ownLargeAnswers');
      return unlessAborted(enter(task, work), closing.signal);
    },
    /** Refuses work that is not patient, even if it runs; patient work continues. */
    beginClosing: () => closing.abort(busy(1)),
    close() {
      isClosed = true;
      closing.abort(busy(1));
    },
  };
}
