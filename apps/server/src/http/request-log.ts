import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Request ids that a trusted proxy may set; any other is replaced. */
const handedOn = /^[A-Za-z0-9-]{8,64}$/;

export function createRequestId(trustProxy: boolean): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return trustProxy && typeof given === 'string' && handedOn.test(given) ? given : randomUUID();
  };
}

/** The path of a request without its query, which may hold secrets. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? '';

/** Logs one line per request: method, path, status and duration. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      { method: request.method, path: loggedPath(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    );
  });
  app.addHook('onRequestAbort', async (request) => {
    request.log.info({ method: request.method, path: loggedPath(request) }, 'connection lost');
  });
}

/** What follows is, or was, a link's token, even if no route matches the path. */
const SHARED = /^(\/(?:v1\/)?shared\/).+/;

/** The route's pattern if it has parameters, whose values may be personal; otherwise the path. */
function loggedPath(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  // Fastify writes a colon that begins no parameter twice.
  return url?.includes(':') ? url.replaceAll('::', ':') : pathOf(request.url).slice(0, 200).replace(SHARED, '$1…');
}
