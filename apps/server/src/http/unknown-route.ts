import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './http-problem.ts';
import { pathOf } from './request-log.ts';

/** Turns `/v1/predictions/:id` into an expression that matches whole paths. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[A-Za-z]+/g, '[^/]+')}/?$`);

/**
 * Answers requests without a route: 405 with `Allow` if the path has routes for other methods, else through `otherwise` (which serves the
 * page for its own addresses), else 404.
 *
 * @param otherwise returns whether it has answered
 */
export function answerUnknownRoutes(
  app: FastifyInstance,
  otherwise: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>,
): void {
  const known = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const route = known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    known.set(url, route);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const methods = [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    if (methods.length > 0 && !methods.includes(request.method)) {
      const allowed = [...new Set(methods)].sort().join(', ');
      reply.header('allow', allowed);
      return sendProblem(reply, 'METHOD_NOT_ALLOWED', { allowed });
    }
    return (await otherwise(request, reply)) ? reply : sendProblem(reply, 'NOT_FOUND', {});
  });
}
