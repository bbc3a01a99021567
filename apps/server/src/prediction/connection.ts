import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has its answer, whatever is being done for it then. */
export function connectionLost(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The connection was lost', 'AbortError'));
  };
  // It may have gone while its sign-in was looked up.
  if (reply.raw.destroyed) close();
  else reply.raw.once('close', close);
  return controller.signal;
}
