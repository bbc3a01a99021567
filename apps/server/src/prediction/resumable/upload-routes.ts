import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/client-connection.ts';
import { HttpProblem, invalidFields, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { networkOf } from '../../http/limits/network-of.ts';
import { type ArrivalPace, paceOfPieces, watchPace } from '../incoming/arrival-pace.ts';
import { announcedBytesOf } from '../incoming/disk-reservation.ts';
import type { IncomingBody, IncomingUploads } from '../incoming/incoming-uploads.ts';
import { tooLarge, type UploadLimits } from '../incoming/receive-upload.ts';
import type { Requesters } from '../requester.ts';
import { type ResumableUploads, UPLOADS_PATH } from './resumable-uploads.ts';

export interface UploadRoutesOptions {
  readonly uploads: ResumableUploads;
  readonly requesters: Pick<Requesters, 'require'>;
  readonly limits: UploadLimits;
  readonly incoming: Pick<IncomingUploads, 'beginBody' | 'check'>;
  /** Aborts when the server stops: what has arrived is kept, and the rest comes later. */
  readonly closing: AbortSignal;
}

/**
 * `/v1/uploads`: resumable uploads of accounts by the tus protocol. Statuses and headers are the protocol's; our own refusals are problems
 * of the catalogue.
 */
export async function uploadRoutes(scope: FastifyInstance, options: UploadRoutesOptions): Promise<void> {
  const { uploads, requesters, limits, incoming, closing } = options;
  const pace = paceOfPieces(limits.pace);
  // The protocol's library reads bodies, piece by piece.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'signedIn', tokenScopes: ['predict'], readsOwnBody: true } as const;
  const schema = { hide: true } as const;

  scope.route({
    method: 'POST',
    url: UPLOADS_PATH,
    config,
    schema,
    async handler(request, reply) {
      const accountId = requesters.require(request);
      const bytes = readLength(request);
      if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes, bytes);
      await incoming.check(senderOf(request, accountId), bytes);
      return receive(request, reply, accountId, null);
    },
  });

  scope.route<{ Params: { id: string } }>({
    method: ['HEAD', 'PATCH', 'DELETE'],
    url: `${UPLOADS_PATH}/:id`,
    config,
    schema,
    async handler(request, reply) {
      const accountId = requesters.require(request);
      const { id } = request.params;
      if (!(await uploads.isOf(accountId, id))) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      return request.method === 'PATCH' ? receive(request, reply, accountId, id) : answer(request, reply, accountId, id, null);
    },
  });

  const senderOf = (request: FastifyRequest, accountId: string) => ({ accountId, network: networkOf(request.ip) });

  async function receive(
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    id: string | null,
  ): Promise<FastifyReply> {
    using body = await incoming.beginBody(senderOf(request, accountId), announcedBytesOf(request));
    return await answer(request, reply, accountId, id, body);
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    id: string | null,
    arrival: IncomingBody | null,
  ): Promise<FastifyReply> {
    const lost = clientDisconnected(reply);
    const body = arrival && readAtPace(request.raw, pace, AbortSignal.any([lost, closing]), arrival);
    try {
      const path = id === null ? UPLOADS_PATH : `${UPLOADS_PATH}/${id}`;
      const { method, headers } = request;
      const interrupt = (reason: HttpProblem): void => body?.refuse(reason);
      const answered = await uploads.exchange(id, { method, path, headers, accountId, interrupt, body: body?.stream ?? null });
      if (lost.aborted) return reply.hijack();
      const problem = body?.problem();
      if (problem) throw problem;
      reply.code(answered.status).headers(answered.headers).header('cache-control', 'no-store');
      return await reply.send(answered.text === '' ? undefined : answered.text);
    } finally {
      body?.stop();
    }
  }
}

function readLength({ headers }: FastifyRequest): number {
  const stated = headers['upload-length'];
  if (typeof stated === 'string' && /^\d{1,15}$/.test(stated)) return Number(stated);
  throw invalidFields([{ field: 'Upload-Length', message: 'must be the size of the recording in bytes' }]);
}

/** A body that ends with an error when it is too slow or quota or disk space runs out; the connection stays open for the answer. */
function readAtPace(raw: IncomingMessage, arrivalPace: ArrivalPace, stopping: AbortSignal, arrival: IncomingBody) {
  const stream = new PassThrough();
  const refusal = new AbortController();
  const ended = AbortSignal.any([refusal.signal, arrival.signal, stopping]);
  const pace = watchPace(raw, arrivalPace, announcedBytesOf(raw), () => refusal.abort(new HttpProblem('UPLOAD_TIMEOUT', {})));
  const count = (chunk: Buffer): void => {
    pace.count(chunk.length);
    arrival.count(chunk.length);
  };
  const problem = (): HttpProblem | null => {
    if (!ended.aborted || ended.reason instanceof HttpProblem) return ended.reason ?? null;
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  };
  const stop = (): void => {
    pace.stop();
    ended.removeEventListener('abort', stop);
    raw.unpipe(stream);
    raw.off('data', count);
    // A body that ends early fails for its reader.
    if (!stream.readableEnded) stream.destroy(problem() ?? undefined);
  };
  stream.on('error', () => {});
  raw.on('error', () => {});
  ended.addEventListener('abort', stop);
  raw.pipe(stream);
  raw.on('data', count);
  if (ended.aborted) stop();
  return {
    stream,
    /** Why it was ended early, if it was. */
    problem,
    /** Ends it early; its sender receives the problem. */
    refuse: (why: HttpProblem) => refusal.abort(why),
    stop,
  };
}
