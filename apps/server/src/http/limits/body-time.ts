import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../http-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body by itself, however long that takes, and watches its pace. */
    readsOwnBody?: boolean;
  }
}

/** A body that is no recording is small: it takes no half minute, unless a connection is held open for nothing. */
const DEFAULT_BODY_MS = 30_000;

/** Gives up on bodies that do not arrive in time: UPLOAD_TIMEOUT. */
export function limitBodyTime(app: FastifyInstance, milliseconds = DEFAULT_BODY_MS): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw, routeOptions } = request;
    if (routeOptions.config.readsOwnBody || raw.complete) return payload;
    const timer = setTimeout(() => {
      // The reader of the body sees an error, but the connection stays for the answer.
      if (!raw.complete && raw.listenerCount('error') > 0) raw.emit('error', new HttpProblem('UPLOAD_TIMEOUT', {}));
    }, milliseconds);
    raw.once('end', () => clearTimeout(timer));
    reply.raw.once('close', () => clearTimeout(timer));
    return payload;
  });
}
