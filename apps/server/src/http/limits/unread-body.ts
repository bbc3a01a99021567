import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How much of an unread body is read before the connection is closed. */
export const drainLimits = { maxBytes: 8 * 1024 * 1024, milliseconds: 2000 };

const POLL_MILLISECONDS = 20;

/**
 * Lets a response arrive that was sent before the end of the request body.
 *
 * A browser reads the response only after it has sent the body, and closing a connection with unread bytes resets it, which the browser
 * shows as a network error. So some of the rest is read and discarded; a client that sends more is cut off.
 */
export function drainUnreadBodies(app: FastifyInstance, { maxBytes, milliseconds }: typeof drainLimits): void {
  app.addHook('onResponse', async ({ raw }) => {
    const { socket } = raw;
    // Injected requests of tests have no real socket.
    if (raw.complete || !(socket instanceof Socket) || socket.destroyed) return;
    const bytesBefore = socket.bytesRead;
    const deadline = performance.now() + milliseconds;
    raw.resume();
    const timer = setInterval(() => {
      const enough = performance.now() > deadline || socket.bytesRead - bytesBefore > maxBytes;
      if (!raw.complete && !socket.destroyed && !enough) return;
      clearInterval(timer);
      if (!raw.complete) socket.destroy();
    }, POLL_MILLISECONDS);
    timer.unref();
  });
}
