import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../http-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself, without this time limit, and watches its pace. */
    readsOwnBody?: boolean;
  }
}

/** Fails requests whose body does not arrive in time with UPLOAD_TIMEOUT. */
export function limitBodyTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw, routeOptions } = request;
    if (routeOptions.config.readsOwnBody || raw.complete) return payload;
    const timer = setTimeout(() => {
      // The reader of the body gets an error, but the connection stays open for the response.
      if (!raw.complete && raw.listenerCount('error') > 0) raw.emit('error', new HttpProblem('UPLOAD_TIMEOUT', {}));
    }, milliseconds);
    raw.once('end', () => clearTimeout(timer));
    reply.raw.once('close', () => clearTimeout(timer));
    return payload;
  });
}
