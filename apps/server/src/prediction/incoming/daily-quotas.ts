import { RateLimiterRes } from 'rate-limiter-flexible';
import { HttpProblem } from '../../http/http-problem.ts';
import { type CreateLimiter, createMemoryLimiter, type Limiter, type RateLimit } from '../../http/limits/limiters.ts';
import { ownersOf, type Sender } from './owners.ts';

export interface QuotaOptions {
  readonly recordingsPerAccount: RateLimit;
  readonly recordingsPerClient: RateLimit;
  readonly megabytesPerAccount: RateLimit;
  readonly megabytesPerClient: RateLimit;
}

const DAY_SECONDS = 86_400;
/** People do not reach these; a runaway program does. */
export const DEFAULT_QUOTAS: QuotaOptions = {
  recordingsPerAccount: { points: 10_000, windowSeconds: DAY_SECONDS },
  recordingsPerClient: { points: 50_000, windowSeconds: DAY_SECONDS },
  megabytesPerAccount: { points: 100_000, windowSeconds: DAY_SECONDS },
  megabytesPerClient: { points: 500_000, windowSeconds: DAY_SECONDS },
};

const MEGABYTE = 1_000_000;

export type QuotaCounter = ReturnType<typeof createQuotaCounter>;

/**
 * Counts what each account and each network sends.
 *
 * @throws HttpProblem QUOTA_EXCEEDED from every `take` and `check`, without counting anything
 */
export function createQuotaCounter(options: QuotaOptions, createLimiter: CreateLimiter = createMemoryLimiter) {
  const recordings: Pair = {
    account: createLimiter('recordingsPerAccount', options.recordingsPerAccount),
    network: createLimiter('recordingsPerClient', options.recordingsPerClient),
  };
  const bytesOf = ({ points, windowSeconds }: RateLimit): RateLimit => ({ points: points * MEGABYTE, windowSeconds });
  const megabytes: Pair = {
    account: createLimiter('megabytesPerAccount', bytesOf(options.megabytesPerAccount)),
    network: createLimiter('megabytesPerClient', bytesOf(options.megabytesPerClient)),
  };

  return {
    takeRecording: (sender: Sender): Promise<void> => take(recordings, 'recordings', sender, 1),
    giveRecordingBack: (sender: Sender): Promise<void> => giveBack(recordings, sender, 1),
    takeBytes: (sender: Sender, bytes: number): Promise<void> => take(megabytes, 'megabytes', sender, bytes),
    giveBytesBack: (sender: Sender, bytes: number): Promise<void> => giveBack(megabytes, sender, bytes),
    /** Counts nothing. */
    async checkBytes(sender: Sender, bytes: number): Promise<void> {
      for (const { by, key, limiter } of limitersFor(megabytes, sender)) {
        const used = await limiter.get(key);
        if ((used?.remainingPoints ?? limiter.points) >= bytes) continue;
        throw exceeded('megabytes', by, used?.msBeforeNext ?? limiter.duration * 1000);
      }
    },
  };
}

interface Pair {
  readonly account: Limiter;
  readonly network: Limiter;
}

const limitersFor = (limiters: Pair, sender: Sender) =>
  ownersOf(sender).map(({ by, key }) => ({ by, key, limiter: limiters[by] }));

async function take(limiters: Pair, of: 'recordings' | 'megabytes', sender: Sender, points: number): Promise<void> {
  if (points === 0) return;
  const taken: (() => Promise<unknown>)[] = [];
  for (const { by, key, limiter } of limitersFor(limiters, sender)) {
    // Refused requests must not count: repeating them would keep the quota used up.
    taken.push(() => limiter.reward(key, points));
    try {
      await limiter.consume(key, points);
    } catch (reason) {
      for (const giveBack of taken) await giveBack();
      if (!(reason instanceof RateLimiterRes)) throw reason;
      throw exceeded(of, by, reason.msBeforeNext);
    }
  }
}

async function giveBack(limiters: Pair, sender: Sender, points: number): Promise<void> {
  for (const { key, limiter } of limitersFor(limiters, sender)) await limiter.reward(key, points);
}

function exceeded(of: 'recordings' | 'megabytes', by: 'account' | 'network', ms: number): HttpProblem<'QUOTA_EXCEEDED'> {
  return new HttpProblem('QUOTA_EXCEEDED', { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)), of, by });
}
