import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../http-problem.ts';
import { type CreateLimiter, countTry, type RateLimit } from './limiters.ts';
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
    const retryAfterSeconds = await countTry(limiter, networkOf(ip));
    if (retryAfterSeconds === null) return;
    await sleep(REFUSAL_MS);
    throw new HttpProblem('TOO_MANY_REQUESTS', { retryAfterSeconds });
  });
}
