import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has its answer, whatever is being done for it then. */
export function connectionLost(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The connection was lost', 'AbortError'));
  });
  return controller.signal;
}
