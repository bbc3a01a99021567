import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** At most `points` within `windowSeconds`. */
export interface RateLimit {
  readonly points: number;
  readonly windowSeconds: number;
}

/** Counts by key. */
export type Limiter = Pick<RateLimiterAbstract, 'points' | 'duration' | 'consume' | 'reward' | 'get'>;

export interface LimiterOptions {
  /**
   * The limit only protects each machine from overload, so a machine may count alone if PostgreSQL does not respond. Its points are never
   * given back.
   */
  readonly mayCountAlone?: true;
}

/**
 * Creates a limiter. It throws DatabaseError if it cannot count: lifting limits in that case would lift them for password guessing.
 *
 * @param name separates its counts from those of other limiters; the same on every machine
 */
export type CreateLimiter = (name: string, limit: RateLimit, options?: LimiterOptions) => Limiter;

/** Counts a try. @returns null, or beyond the limit the seconds until another is accepted @throws DatabaseError */
export async function countTry(limiter: Limiter, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return secondsUntil(reason);
    throw reason;
  }
}

export const secondsUntil = ({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): number =>
  Math.max(1, Math.ceil(msBeforeNext / 1000));

/** Counts in the memory of this process. */
export const createMemoryLimiter: CreateLimiter = (_name, { points, windowSeconds }) =>
  new RateLimiterMemory({ points: points, duration: windowSeconds });
