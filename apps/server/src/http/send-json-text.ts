import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends text that is already JSON. The route's schema only documents it: serialising a large response again would block the event loop. */
export function sendJsonText(reply: Pick<FastifyReply, 'type'>, text: string | Buffer): FastifyReply {
  return reply.type(JSON_TYPE).send(text);
}
