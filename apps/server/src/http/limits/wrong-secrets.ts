import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from './network-of.ts';
import type { RateLimit } from './request-limit.ts';

export type WrongSecrets = ReturnType<typeof createWrongSecrets>;

export const defaultWrongSecretLimit: RateLimit = { attempts: 20, windowSeconds: 900 };

/** Counts secrets of operators that were wrong, by network address, in memory. */
export function createWrongSecrets({ attempts, windowSeconds }: RateLimit) {
  const limiter = new RateLimiterMemory({ points: attempts, duration: windowSeconds });
  return {
    /** Seconds until secrets from there are looked at again; null: they are now. */
    waitSeconds: async (clientAddress: string): Promise<number | null> => {
      const counted = await limiter.get(networkOf(clientAddress));
      if (counted === null || counted.consumedPoints < attempts) return null;
      return Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    },
    count: async (clientAddress: string): Promise<void> => {
      await limiter.penalty(networkOf(clientAddress));
    },
  };
}
