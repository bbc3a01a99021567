import { basename, dirname } from 'node:path';
import { send } from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

/** Sends a file, or the requested range of it. @throws HttpProblem NOT_FOUND if it does not exist */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, mediaType }: { readonly path: string; readonly mediaType: string },
): Promise<FastifyReply> {
  const result = await send(request.raw, encodeURIComponent(basename(path)), {
    root: dirname(path),
    cacheControl: false,
    dotfiles: 'allow',
  });
  if (result.type === 'error') {
    if (result.statusCode !== 416) throw new HttpProblem('NOT_FOUND', {});
    return reply.code(416).header('content-range', result.headers['Content-Range']).send();
  }
  return reply
    .code(result.statusCode)
    .headers(result.headers)
    .type(mediaType)
    .header('x-content-type-options', 'nosniff')
    .send(result.stream);
}
