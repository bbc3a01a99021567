import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from './network-of.ts';

/** Counts secrets of operators that were wrong, by network address, in memory. */
export interface WrongSecrets {
  /** Seconds until secrets from there are looked at again; null: they are now. */
  waitSeconds(clientAddress: string): Promise<number | null>;
  count(clientAddress: string): Promise<void>;
}

/** So many wrong ones within so many seconds. */
export interface WrongSecretLimit {
  readonly attempts: number;
  readonly windowSeconds: number;
}

export const defaultWrongSecretLimit: WrongSecretLimit = { attempts: 20, windowSeconds: 900 };

export function createWrongSecrets({ attempts, windowSeconds }: WrongSecretLimit): WrongSecrets {
  const limiter = new RateLimiterMemory({ points: attempts, duration: windowSeconds });
  return {
    waitSeconds: async (clientAddress) => {
      const counted = await limiter.get(networkOf(clientAddress));
      if (counted === null || counted.consumedPoints < attempts) return null;
      return Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    },
    count: async (clientAddress) => void (await limiter.penalty(networkOf(clientAddress))),
  };
}
