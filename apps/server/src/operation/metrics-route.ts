import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../http/http-problem.ts';
import { countTry, type Limiter } from '../http/limits/limiters.ts';
import { networkOf } from '../http/limits/network-of.ts';
import { isSameSecret } from '../identity/secret-token.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsRouteOptions {
  readonly metrics: Metrics;
  /** `METRICS_TOKEN`; null disables the route. */
  readonly token: string | null;
  /** counts wrong secrets of operators */
  readonly wrongSecrets: Limiter;
}

/** `GET /metrics`: the metrics, for the operator's token. */
export async function metricsRoute(app: FastifyInstance, { metrics, token, wrongSecrets }: MetricsRouteOptions): Promise<void> {
  if (token === null) return;
  app.get(
    '/metrics',
    // The token is the operator's, not an account's.
    { config: { access: 'public', requestLimit: false }, schema: { hide: true } },
    async (request, reply) => {
      const { authorization } = request.headers;
      if (authorization === undefined) throw new HttpProblem('NOT_FOUND', {});
      if (!isSameSecret(authorization, `Bearer ${token}`)) {
        const retryAfterSeconds = await countTry(wrongSecrets, networkOf(request.ip));
        if (retryAfterSeconds !== null) throw new HttpProblem('TOO_MANY_REQUESTS', { retryAfterSeconds });
        throw new HttpProblem('NOT_FOUND', {});
      }
      const { contentType, text } = await metrics.read();
      return reply.header('cache-control', 'no-store').type(contentType).send(text);
    },
  );
}

/** Counts every response under the pattern of its route; requests without a route count as one. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    metrics.countRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
  });
}
