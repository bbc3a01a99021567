import { RateLimiterRes } from 'rate-limiter-flexible';
import { HttpProblem } from '../../http/http-problem.ts';
import { type CreateLimiter, createMemoryLimiter, type RateLimit, secondsUntil } from '../../http/limits/limiters.ts';
import { type Owner, ownersOf, type Sender } from './owners.ts';

type QuotaOptions = Readonly<Record<`${'recordings' | 'megabytes'}Per${'Account' | 'Client'}`, RateLimit>>;

const MEGABYTE = 1_000_000;

export type QuotaCounter = ReturnType<typeof createQuotaCounter>;

/**
 * Counts what each account and each network sends.
 *
 * @throws HttpProblem QUOTA_EXCEEDED from every `take` and `check`, without counting anything
 */
export function createQuotaCounter(options: QuotaOptions, createLimiter: CreateLimiter = createMemoryLimiter) {
  const bytesOf = ({ points, windowSeconds }: RateLimit): RateLimit => ({ points: points * MEGABYTE, windowSeconds });
  const limiters = {
    recordings: {
      account: createLimiter('recordingsPerAccount', options.recordingsPerAccount),
      network: createLimiter('recordingsPerClient', options.recordingsPerClient),
    },
    megabytes: {
      account: createLimiter('megabytesPerAccount', bytesOf(options.megabytesPerAccount)),
      network: createLimiter('megabytesPerClient', bytesOf(options.megabytesPerClient)),
    },
  };
  const exceeded = (of: keyof typeof limiters, { by }: Owner, msBeforeNext: number) =>
    new HttpProblem('QUOTA_EXCEEDED', { retryAfterSeconds: secondsUntil({ msBeforeNext }), of, by });

  async function take(of: keyof typeof limiters, sender: Sender, points: number): Promise<void> {
    if (points === 0) return;
    const counted: Owner[] = [];
    for (const owner of ownersOf(sender)) {
      counted.push(owner);
      try {
        await limiters[of][owner.by].consume(owner.key, points);
      } catch (reason) {
        // Refused requests must not count: repeating them would keep the quota used up.
        await giveBack(of, counted, points);
        throw reason instanceof RateLimiterRes ? exceeded(of, owner, reason.msBeforeNext) : reason;
      }
    }
  }

  async function giveBack(of: keyof typeof limiters, owners: readonly Owner[], points: number): Promise<void> {
    for (const { by, key } of owners) await limiters[of][by].reward(key, points);
  }

  return {
    takeRecording: (sender: Sender): Promise<void> => take('recordings', sender, 1),
    giveRecordingBack: (sender: Sender): Promise<void> => giveBack('recordings', ownersOf(sender), 1),
    takeBytes: (sender: Sender, bytes: number): Promise<void> => take('megabytes', sender, bytes),
    giveBytesBack: (sender: Sender, bytes: number): Promise<void> => giveBack('megabytes', ownersOf(sender), bytes),
    /** Counts nothing. */
    async checkBytes(sender: Sender, bytes: number): Promise<void> {
      for (const owner of ownersOf(sender)) {
        const limiter = limiters.megabytes[owner.by];
        const used = await limiter.get(owner.key);
        if ((used?.remainingPoints ?? limiter.points) >= bytes) continue;
        throw exceeded('megabytes', owner, used?.msBeforeNext ?? limiter.duration * 1000);
      }
    },
  };
}
