import { createHash } from 'node:crypto';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RLWrapperTimeouts } from 'rate-limiter-flexible';

/** So many times within so many seconds. */
export interface RateLimit {
  readonly attempts: number;
  readonly windowSeconds: number;
}

/** Counts by key. */
export type Limiter = Pick<RateLimiterAbstract, 'points' | 'duration' | 'consume' | 'penalty' | 'reward' | 'get'>;

export interface LimiterOptions {
  /** It only keeps each machine from doing too much: where the others cannot be asked, it counts by itself. Nothing is ever given back. */
  readonly mayCountAlone?: true;
}

/**
 * Makes a limiter. Where it cannot count it throws DatabaseError: a limit that were lifted then would be lifted for who guesses passwords.
 *
 * @param name tells its counts from those of others; the same on every machine
 */
export type CreateLimiter = (name: string, limit: RateLimit, options?: LimiterOptions) => Limiter;

/** Counts of this process, which end with it. */
export const createMemoryLimiter: CreateLimiter = (_name, { attempts, windowSeconds }) =>
  new RateLimiterMemory({ points: attempts, duration: windowSeconds });

/** How long a machine that may count alone waits for PostgreSQL. */
const COUNT_ALONE_AFTER_MS = 250;

/** Asks PostgreSQL. @throws DatabaseError */
export type AskPostgres = (query: {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
}) => Promise<unknown>;

/** Makes limiters that count for all machines, in the table `rateLimits`. */
export function createSharedLimiters(query: AskPostgres): CreateLimiter {
  return (name, limit, { mayCountAlone } = {}) => {
    const shared = {
      storeClient: { query },
      storeType: 'client',
      tableName: 'rateLimits',
      tableCreated: true,
      // Old rows of all limiters are cleared away together.
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit.attempts,
      duration: limit.windowSeconds,
    };
    if (!mayCountAlone) return new SharedLimiter(shared);
    const alone = new RateLimiterMemory({ points: limit.attempts, duration: limit.windowSeconds });
    // Who is over the limit is not looked up again until it ends.
    const limiter = new SharedLimiter({ ...shared, insuranceLimiter: alone, inMemoryBlockOnConsumed: limit.attempts });
    return new RLWrapperTimeouts({ limiter, timeoutMs: COUNT_ALONE_AFTER_MS });
  };
}

/** No e-mail address and no network address is written down. */
class SharedLimiter extends RateLimiterPostgres {
  override getKey(key: string | number): string {
    return createHash('sha256').update(super.getKey(key)).digest('base64url');
  }
}
