import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends what is JSON already: the route's schema describes it, and serialising a large answer again would block the event loop. */
export function sendJsonText(reply: Pick<FastifyReply, 'type'>, text: string | Buffer): FastifyReply {
  return reply.type(JSON_TYPE).send(text);
}
