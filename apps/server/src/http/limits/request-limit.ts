import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { HttpProblem } from '../http-problem.ts';
import type { CreateLimiter, RateLimit } from './limiters.ts';
import { networkOf } from './network-of.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false` for monitoring routes, which must work while clients exceed the limit. */
    requestLimit?: false;
  }
}

/** Delay of a refusal. Without it, a client in a loop would cost as much in refusals as in responses. */
const REFUSAL_MS = 1000;

/** Counts the requests of each network; beyond the limit, answers TOO_MANY_REQUESTS after a delay. */
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
