import pLimit from 'p-limit';
import { HttpProblem } from '../http/http-problem.ts';
import { createRecentValues } from './recent-values.ts';

export interface CachedWorkOptions {
  readonly atOnce: number;
  readonly mostWaiting: number;
  /** results kept in memory */
  readonly mostKept: number;
}

/** Runs the part of some work that takes the processor, a few at a time. @throws HttpProblem SERVER_BUSY when too many wait */
type Limited = <Result>(part: () => Promise<Result>) => Promise<Result>;

/** Makes bytes on request, and caches the latest: pictures and sounds that people look at and hear again soon. */
export function createCachedWork({ atOnce, mostWaiting, mostKept }: CachedWorkOptions) {
  const limit = pLimit(atOnce);
  const recent = createRecentValues<Uint8Array>(mostKept);

  const limited: Limited = async (part) => {
    if (limit.pendingCount >= mostWaiting) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 2 });
    return limit(part);
  };

  /** @param of what the bytes depend on, as JSON */
  return async (of: readonly unknown[], make: (limited: Limited) => Promise<Uint8Array>): Promise<Uint8Array> => {
    const key = JSON.stringify(of);
    const known = recent.get(key);
    if (known !== undefined) return known;
    const bytes = await make(limited);
    recent.set(key, bytes);
    return bytes;
  };
}
