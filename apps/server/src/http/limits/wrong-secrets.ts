import { type CreateLimiter, createMemoryLimiter, type RateLimit } from './limiters.ts';
import { networkOf } from './network-of.ts';

export type WrongSecrets = ReturnType<typeof createWrongSecrets>;

export const defaultWrongSecretLimit: RateLimit = { attempts: 20, windowSeconds: 900 };

/** Counts secrets that were wrong, by network address. @param name tells secrets of one kind from others; those of operators when absent */
export function createWrongSecrets(limit: RateLimit, createLimiter: CreateLimiter = createMemoryLimiter, name = 'wrongSecrets') {
  const limiter = createLimiter(name, limit);
  return {
    /** How many seconds whoever sends secrets from there has to wait; null: none. */
    waitSeconds: async (clientAddress: string): Promise<number | null> => {
      const counted = await limiter.get(networkOf(clientAddress));
      if (counted === null || counted.consumedPoints < limit.attempts) return null;
      return Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    },
    count: async (clientAddress: string): Promise<void> => {
      await limiter.penalty(networkOf(clientAddress));
    },
  };
}
