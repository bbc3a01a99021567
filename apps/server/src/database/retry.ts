import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** Whether work that failed with this error may succeed later. */
  readonly isPassing: (error: unknown) => boolean;
  readonly patienceMs?: number;
  /** Pauses double from the first to the longest. Half of each is random, so that changes that conflicted do not conflict again. */
  readonly pausesMs: readonly [first: number, longest: number];
  /** ends all waiting */
  readonly stopping: AbortSignal;
}

/** Repeats work until it succeeds, fails for good or would take too long. @throws the latest error */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isPassing, patienceMs = Number.POSITIVE_INFINITY, pausesMs, stopping } = options;
  const [first, longest] = pausesMs;
  const givesUpAt = performance.now() + patienceMs;
  for (let pauseMs = first; ; pauseMs = Math.min(2 * pauseMs, longest)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || stopping.aborted || performance.now() + pauseMs > givesUpAt) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: stopping }).catch(() => {});
  }
}
