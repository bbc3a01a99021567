import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/client-connection.ts';
import type { WhenSignedOut } from '../../http/end-signed-out.ts';
import { HttpProblem, invalidFields, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { networkOf } from '../../http/limits/network-of.ts';
import { type ArrivalPace, paceOfPieces, watchPace } from '../incoming/arrival-pace.ts';
import { announcedBytesOf } from '../incoming/disk-guard.ts';
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
  readonly whenSignedOut: WhenSignedOut;
}

/** Of an upload that has begun. */
const METHODS = ['HEAD', 'PATCH', 'DELETE'];

/**
 * `/v1/uploads`: resumable uploads of accounts by the tus protocol. Statuses and headers are the protocol's; our own refusals are problems
 * of the catalogue.
 */
export async function uploadRoutes(scope: FastifyInstance, options: UploadRoutesOptions): Promise<void> {
  const { uploads, requesters, limits, incoming, closing, whenSignedOut } = options;
  const pace = paceOfPieces(limits.pace);
  // The protocol's library reads bodies, piece by piece.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'signedIn', tokenScopes: ['predict'], readsOwnBody: true } as const;
  const shared = { config, schema: { hide: true } } as const;
  const senderOf = (request: FastifyRequest, accountId: string) => ({ accountId, network: networkOf(request.ip) });

  for (const url of [UPLOADS_PATH, `${UPLOADS_PATH}/:id`])
    scope.options(
      url,
      { config: { access: 'public', cors: { preflightContinue: true } }, schema: { hide: true } },
      async (_request, reply) =>
        reply
          .code(204)
          .headers({ ...uploads.protocol, 'tus-max-size': limits.maxBytes })
          .send(),
    );

  scope.post(UPLOADS_PATH, shared, async (request, reply) => {
    const accountId = requesters.require(request);
    const bytes = readLength(request);
    if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes, bytes);
    await incoming.check(senderOf(request, accountId), bytes);
    return answer(request, reply, accountId, randomUUID());
  });

  scope.route<{ Params: { id: string } }>({
    ...shared,
    // By POST if the client cannot send the others: the protocol lets a header name the method.
    method: ['POST', ...METHODS],
    url: `${UPLOADS_PATH}/:id`,
    async handler(request, reply) {
      const accountId = requesters.require(request);
      const { id } = request.params;
      if (!(await uploads.isOf(accountId, id))) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      const method = request.method === 'POST' ? String(request.headers['x-http-method-override']) : request.method;
      if (!METHODS.includes(method)) throw new HttpProblem('METHOD_NOT_ALLOWED', { allowed: METHODS.join(', ') });
      return answer(request, reply, accountId, id, method);
    },
  });

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    id: string,
    method = 'POST',
  ): Promise<FastifyReply> {
    const hasBody = method === 'POST' || method === 'PATCH';
    using arrival = hasBody ? await incoming.beginBody(senderOf(request, accountId), announcedBytesOf(request)) : null;
    const lost = clientDisconnected(reply);
    using body = arrival && readAtPace(request.raw, pace, AbortSignal.any([lost, closing]), arrival);
    using listening = new DisposableStack();
    // Its account may have been deleted or disabled, or its API token revoked, through another machine.
    if (body) listening.defer(await whenSignedOut(request, () => body.refuse(new HttpProblem('UPLOAD_NOT_FOUND', {}))));
    const response = await uploads.exchange(accountId, id, { method, headers: request.headers }, body);
    if (lost.aborted) return reply.hijack();
    if (body?.ended.aborted) throw problemOf(body.ended.reason);
    reply.code(response.status).headers(Object.fromEntries(response.headers)).header('cache-control', 'no-store');
    return await reply.send((await response.text()) || undefined);
  }
}

function readLength({ headers }: FastifyRequest): number {
  const stated = headers['upload-length'];
  if (typeof stated === 'string' && /^\d{1,15}$/.test(stated)) return Number(stated);
  throw invalidFields([{ field: 'Upload-Length', message: 'must be the size of the recording in bytes' }]);
}

/** Why a body was ended early: when the server stops, the rest can come later. */
const problemOf = (reason: unknown): HttpProblem =>
  reason instanceof HttpProblem ? reason : new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/** A body that ends early when it is too slow or quota or disk space runs out; the connection stays open for the answer. */
function readAtPace(raw: IncomingMessage, arrivalPace: ArrivalPace, stopping: AbortSignal, arrival: IncomingBody) {
  const stream = new PassThrough();
  const refusal = new AbortController();
  const refuse = (why: HttpProblem): void => refusal.abort(why);
  const ended = AbortSignal.any([refusal.signal, arrival.signal, stopping]);
  raw.pipe(stream);
  const watched = watchPace(raw, arrivalPace, arrival.count, refuse);
  const stop = (): void => {
    watched[Symbol.dispose]();
    ended.removeEventListener('abort', stop);
    raw.unpipe(stream);
    // What has arrived is kept.
    stream.end();
  };
  ended.addEventListener('abort', stop);
  if (ended.aborted) stop();
  return { stream, ended, refuse, [Symbol.dispose]: stop };
}
