import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { HttpProblem } from '../http-problem.ts';
import type { CreateLimiter, RateLimit } from './limiters.ts';
import { networkOf } from './network-of.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false` for what watches over the server: it is asked also when others ask too much. */
    requestLimit?: false;
  }
}

/**
 * A hundred a second for a long time, six thousand at once. A page takes some fifty requests to load and one or two a second while it is
 * used: a school class, a village, or all clients where the server is not told of its proxy.
 */
export const defaultRequestLimit: RateLimit = { attempts: 6000, windowSeconds: 60 };

/** Without a pause a client's loop would cost as much in refusals as in answers. */
const REFUSAL_MS = 1000;

/** Counts the requests of each network address; beyond the limit: TOO_MANY_REQUESTS, after a while. */
export function limitRequests(app: FastifyInstance, limit: RateLimit, createLimiter: CreateLimiter): void {
  const limiter = createLimiter('requests', limit, { mayCountAlone: true });
  app.addHook('onRequest', async ({ ip, routeOptions }) => {
    if (routeOptions.config.requestLimit === false) return;
    try {
      await limiter.consume(networkOf(ip));
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      await sleep(REFUSAL_MS);
      throw new HttpProblem('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1000)) });
    }
  });
}
