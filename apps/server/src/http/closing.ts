import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a closing server end as soon as it has answered the last request in flight.
 *
 * Node closes idle connections, but not those that never sent a request (browsers open some in advance) or whose last response is sent
 * while the server closes.
 */
export function endConnectionsWhenClosing(app: FastifyInstance, onClosing: () => void): void {
  const waiting = new Set<Socket>();
  let closing = false;
  app.server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    waiting.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) waiting.add(socket);
    });
  });
  app.addHook('preClose', async () => {
    closing = true;
    onClosing();
    for (const socket of waiting) socket.destroy();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
}
