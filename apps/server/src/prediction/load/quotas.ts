import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpProblem } from '../../http/http-problem.ts';

/** So much within so many seconds. */
export interface Quota {
  readonly attempts: number;
  readonly windowSeconds: number;
}

export interface QuotaOptions {
  readonly recordingsPerAccount: Quota;
  readonly recordingsPerClient: Quota;
  readonly megabytesPerAccount: Quota;
  readonly megabytesPerClient: Quota;
}

const day = 86_400;
/** No person reaches these; a program that was let loose does. */
export const defaultQuotas: QuotaOptions = {
  recordingsPerAccount: { attempts: 10_000, windowSeconds: day },
  recordingsPerClient: { attempts: 50_000, windowSeconds: day },
  megabytesPerAccount: { attempts: 100_000, windowSeconds: day },
  megabytesPerClient: { attempts: 500_000, windowSeconds: day },
};

/** Who sends. */
export interface Sender {
  /** null when nobody is signed in */
  readonly accountId: string | null;
  /** of the client's address: see `networkOf` */
  readonly network: string;
}

/**
 * Counts what each account and each network address sends, in memory.
 *
 * @throws HttpProblem QUOTA_EXCEEDED from every `take`; nothing is counted then
 */
export interface Quotas {
  takeRecording(sender: Sender): Promise<void>;
  takeBytes(sender: Sender, bytes: number): Promise<void>;
}

const MEGABYTE = 1_000_000;

export function createQuotas(options: QuotaOptions): Quotas {
  const recordings = pair(options.recordingsPerAccount, options.recordingsPerClient);
  const megabytes = pair(options.megabytesPerAccount, options.megabytesPerClient);

  return {
    takeRecording: (sender) => take(recordings, 'recordings', sender, 1),
    takeBytes: (sender, bytes) => take(megabytes, 'megabytes', sender, Math.ceil(bytes / MEGABYTE)),
  };
}

interface Pair {
  readonly account: RateLimiterMemory;
  readonly network: RateLimiterMemory;
}

function pair(account: Quota, network: Quota): Pair {
  const limiter = ({ attempts, windowSeconds }: Quota) => new RateLimiterMemory({ points: attempts, duration: windowSeconds });
  return { account: limiter(account), network: limiter(network) };
}

async function take(
  limiters: Pair,
  of: 'recordings' | 'megabytes',
  { accountId, network }: Sender,
  points: number,
): Promise<void> {
  if (points === 0) return;
  const keys = [['account', accountId] as const, ['network', network] as const].filter(([, key]) => key !== null);
  const taken: (() => Promise<unknown>)[] = [];
  for (const [by, key] of keys) {
    const limiter = limiters[by];
    // What is refused must not count: asking again and again would keep the quota used up.
    taken.push(() => limiter.reward(key ?? '', points));
    try {
      await limiter.consume(key ?? '', points);
    } catch (reason) {
      for (const giveBack of taken) await giveBack();
      if (!(reason instanceof RateLimiterRes)) throw reason;
      throw new HttpProblem('QUOTA_EXCEEDED', { retryAfterSeconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1000)), of, by });
    }
  }
}
