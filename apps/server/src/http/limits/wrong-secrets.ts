import { type CreateLimiter, createMemoryLimiter, type RateLimit, secondsUntil } from './limiters.ts';
import { networkOf } from './network-of.ts';

export type WrongSecrets = ReturnType<typeof createWrongSecrets>;

/** Counts wrong secrets by network. @param name separates kinds of secrets; those of operators by default */
export function createWrongSecrets(limit: RateLimit, createLimiter: CreateLimiter = createMemoryLimiter, name = 'wrongSecrets') {
  const limiter = createLimiter(name, limit);
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
