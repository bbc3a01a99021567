import { createRecentValues } from '../recent-values.ts';
import { unlessAborted } from '../unless-aborted.ts';

/** Makes values on request, each once for all requests that wait for it, and keeps the latest. */
export function createCachedWork<Value>(mostKept: number) {
  function begin(make: (signal: AbortSignal) => Promise<Value>) {
    const abandoned = new AbortController();
    return { value: make(abandoned.signal), abandoned, waiting: 0 };
  }
  const recent = createRecentValues<ReturnType<typeof begin>>(mostKept);

  /**
   * @param of everything that the value depends on, as JSON: of an answer, its id and revision
   * @param make makes it; its signal aborts when no request waits any more
   * @throws the signal's reason when it aborts
   */
  return async (of: readonly unknown[], signal: AbortSignal, make: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
    const key = JSON.stringify(of);
    const made = recent.get(key) ?? begin(make);
    recent.set(key, made);
    made.waiting += 1;
    try {
      return await unlessAborted(made.value, signal);
    } catch (error) {
      const isForOthers = signal.aborted && made.waiting > 1;
      if (!isForOthers) made.abandoned.abort();
      if (!isForOthers && recent.get(key) === made) recent.delete(key);
      throw error;
    } finally {
      made.waiting -= 1;
    }
  };
}
