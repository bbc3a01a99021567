import { type CreateLimiter, createMemoryLimiter, type RateLimit, secondsUntil } from './limiters.ts';
import { networkOf } from './network-of.ts';

export type WrongSecrets = ReturnType<typeof createWrongSecrets>;

/** Counts wrong secrets of operators by network. */
export function createWrongSecrets(limit: RateLimit, createLimiter: CreateLimiter = createMemoryLimiter) {
  const limiter = createLimiter('wrongSecrets', limit);
  return {
    /** Seconds until secrets from this network are accepted again; null if they are accepted now. */
    waitSeconds: async (clientAddress: string): Promise<number | null> => {
      const counted = await limiter.get(networkOf(clientAddress));
      if (counted === null || counted.consumedPoints < limit.points) return null;
      return secondsUntil(counted);
    },
    count: async (clientAddress: string): Promise<void> => {
      await limiter.penalty(networkOf(clientAddress));
    },
  };
}
