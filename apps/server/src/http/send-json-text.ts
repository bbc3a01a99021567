import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

type TextPart = string | Uint8Array;

/** Joins parts of a text. Bytes stay bytes: a large prediction as a string and back would block the event loop for a tenth of a second. */
export const joinText = (...parts: readonly TextPart[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** Sends text that is already JSON. The route's schema only documents it: serialising a large response again would block the event loop. */
export function sendJsonText(reply: Pick<FastifyReply, 'type'>, ...parts: readonly TextPart[]): FastifyReply {
  return reply.type(JSON_TYPE).send(joinText(...parts));
}
