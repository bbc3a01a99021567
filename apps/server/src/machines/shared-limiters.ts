import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { RateLimiterMemory, RateLimiterPostgres, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { Database } from '../database/database.ts';
import type { CreateLimiter } from '../http/limits/limiters.ts';

/** How long a limiter that may count alone waits for PostgreSQL. */
const COUNT_ALONE_AFTER_MS = 250;

/** Creates limiters that all machines share, in the table `rateLimits`. They throw DatabaseErrors. */
export function createSharedLimiters({ query: connection }: Pick<Database, 'query'>): CreateLimiter {
  async function query({ text, values }: { readonly text: string; readonly values: unknown[] }) {
    const { rows } = await connection.executeQuery(CompiledQuery.raw(text, values));
    return { rows, rowCount: rows.length };
  }
  return (name, limit, { mayCountAlone } = {}) => {
    const shared = {
      storeClient: { query },
      storeType: 'client',
      tableName: 'rateLimits',
      tableCreated: true,
      // A scheduled job deletes expired rows of all limiters.
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit.points,
      duration: limit.windowSeconds,
    };
    if (!mayCountAlone) return new SharedLimiter(shared);
    const alone = new RateLimiterMemory({ points: limit.points, duration: limit.windowSeconds });
    // A key over its limit is not looked up again until the block ends.
    const limiter = new SharedLimiter({ ...shared, insuranceLimiter: alone, inMemoryBlockOnConsumed: limit.points });
    return new RLWrapperTimeouts({ limiter, timeoutMs: COUNT_ALONE_AFTER_MS });
  };
}

/** Stores hashes instead of email and network addresses. */
class SharedLimiter extends RateLimiterPostgres {
  override getKey(key: string | number): string {
    return createHash('sha256').update(super.getKey(key)).digest('base64url');
  }
}
