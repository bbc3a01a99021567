import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has its answer, whatever is being done for it then. */
export function connectionLost(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The connection was lost', 'AbortError'));
  });
  return controller.signal;
}

/** What comes of a promise. @throws the signal's reason when it aborts first */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: result, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return result;
}
