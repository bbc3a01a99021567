import type { FastifyReply } from 'fastify';

/** Aborts when the client disconnects before it has its answer, whatever is being done for it. */
export function connectionLost(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The connection was lost', 'AbortError'));
  };
  // It may have disconnected during authentication.
  if (reply.raw.destroyed) close();
  else reply.raw.once('close', close);
  return controller.signal;
}
