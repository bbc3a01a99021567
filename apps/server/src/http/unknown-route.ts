import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './http-problem.ts';

interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Turns `/v1/predictions/:id` into an expression that matches whole paths; wildcards are no addresses of their own. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[A-Za-z]+/g, '[^/]+')}/?$`);

/**
 * Answers what no route answers: 405 with `Allow` where another method would do, else whatever `otherwise` makes of it (the page,
 * for addresses that belong to the page), else 404.
 *
 * @param otherwise whether it has answered
 */
export function answerUnknownRoutes(
  app: FastifyInstance,
  otherwise: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>,
): void {
  const known = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const route = known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    known.set(url, route);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    if (methods.length > 0 && !methods.includes(request.method)) {
      const allowed = [...new Set(methods)].sort().join(', ');
      reply.header('allow', allowed);
      return sendProblem(reply, 'METHOD_NOT_ALLOWED', { allowed });
    }
    return (await otherwise(request, reply)) ? reply : sendProblem(reply, 'NOT_FOUND', {});
  });
}
