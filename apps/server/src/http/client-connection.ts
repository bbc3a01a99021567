import type { FastifyReply } from 'fastify';

/** Aborts when the client disconnects before it has its answer, whatever is being done for it. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The connection was lost', 'AbortError'));
  };
  // It may have disconnected during authentication, or before the request was read: then the connection has no address any more.
  if (reply.raw.destroyed || reply.request.socket.remoteAddress === undefined) close();
  else reply.raw.once('close', close);
  return controller.signal;
}

/** Runs the work of a route, with a signal that aborts when the client disconnects; then there is no reply. */
export async function whileClientConnected<Value>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | FastifyReply> {
  const gone = clientDisconnected(reply);
  try {
    return await work(gone);
  } catch (error) {
    if (gone.aborted) return reply.hijack();
    throw error;
  }
}
