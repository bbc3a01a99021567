import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import { networkOf } from '../../http/network-of.ts';
import type { AccountOfRequest } from '../account-of-request.ts';
import { connectionLost } from '../connection.ts';
import { announcedBytesOf, type BodyRoom, openBodyRoom } from '../load/body-room.ts';
import type { DiskGuard } from '../load/disk-guard.ts';
import type { Quotas } from '../load/quotas.ts';
import { tooLarge, type UploadLimits } from '../receive-upload.ts';
import { type ResumableUploads, UPLOADS_PATH } from './resumable-uploads.ts';

export interface UploadRoutesOptions {
  readonly uploads: ResumableUploads;
  readonly accounts: Pick<AccountOfRequest, 'require'>;
  readonly limits: UploadLimits;
  readonly quotas: Quotas;
  readonly diskGuard: DiskGuard;
  /** Aborts when the server stops: what has arrived is kept, and the rest comes later. */
  readonly closing: AbortSignal;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * `/v1/uploads`: recordings in pieces, by the tus protocol, for whoever is signed in. Statuses and headers are the protocol's; what we
 * refuse ourselves are problems of the catalogue.
 */
export async function uploadRoutes(scope: FastifyInstance, options: UploadRoutesOptions): Promise<void> {
  const { uploads, accounts, limits, quotas, diskGuard, closing } = options;
  // Bodies are read by the protocol, piece by piece.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'signedIn', readsOwnBody: true } as const;
  const schema = { hide: true } as const;

  scope.route({
    ...{ method: 'POST', url: UPLOADS_PATH, config, schema },
    async handler(request, reply) {
      const accountId = accounts.require(request);
      const bytes = readLength(request);
      if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes, bytes);
      const releaseRoom = await diskGuard.reserve(bytes);
      releaseRoom();
      await quotas.takeBytes({ accountId, network: networkOf(request.ip) }, bytes);
      return answer(request, reply, accountId, null, null);
    },
  });

  scope.route<{ Params: { id: string } }>({
    ...{ method: ['HEAD', 'PATCH', 'DELETE'], url: `${UPLOADS_PATH}/:id`, config, schema },
    async handler(request, reply) {
      const accountId = accounts.require(request);
      const { id } = request.params;
      if (!(await uploads.isOf(accountId, id))) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      if (request.method !== 'PATCH') return answer(request, reply, accountId, id, null);
      const room = await openBodyRoom(announcedBytesOf(request), (bytes) => diskGuard.reserve(bytes));
      try {
        return await answer(request, reply, accountId, id, room);
      } finally {
        room.release();
      }
    },
  });

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    id: string | null,
    room: BodyRoom | null,
  ): Promise<FastifyReply> {
    const lost = connectionLost(reply);
    const hasBody = request.method === 'POST' || request.method === 'PATCH';
    const body = hasBody ? readAtPace(request.raw, limits.pace, AbortSignal.any([lost, closing]), room) : null;
    try {
      const path = id === null ? UPLOADS_PATH : `${UPLOADS_PATH}/${id}`;
      const { method, headers } = request;
      const interrupt = (reason: Error): void => body?.stop(reason);
      const answered = await uploads.exchange(id, { method, path, headers, accountId, interrupt, body: body?.stream ?? null });
      if (lost.aborted) return reply.hijack();
      if (body?.problem) throw body.problem;
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
  throw invalidFields([{ field: 'Upload-Length', message: 'must be the number of bytes of the recording' }]);
}

interface PacedBody {
  readonly stream: PassThrough;
  /** Why we ended it, if we did. */
  readonly problem: HttpProblem | null;
  stop(reason?: Error): void;
}

/** A body that ends with an error when it comes too slowly, or finds no more room; the connection stays, for the answer. */
function readAtPace(
  raw: IncomingMessage,
  { milliseconds, minBytes }: UploadLimits['pace'],
  signal: AbortSignal,
  room: BodyRoom | null,
): PacedBody {
  const stream = new PassThrough();
  let problem: HttpProblem | null = null;
  let bytesInWindow = 0;
  const count = (chunk: Buffer): void => {
    bytesInWindow += chunk.length;
    room?.count(chunk.length);
  };
  const stop = (reason?: Error): void => {
    clearInterval(pace);
    signal.removeEventListener('abort', end);
    room?.signal.removeEventListener('abort', endForRoom);
    raw.unpipe(stream);
    raw.off('data', count);
    // What is ended early fails for whoever reads it.
    if (!stream.readableEnded) stream.destroy(reason);
  };
  const refuse = (why: HttpProblem): void => {
    problem = why;
    stop(why);
  };
  const endForRoom = (): void => {
    const { reason } = room?.signal ?? {};
    refuse(reason instanceof HttpProblem ? reason : new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  };
  const end = (): void => refuse(new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  const pace = setInterval(() => {
    if (bytesInWindow < minBytes && !raw.complete) refuse(new HttpProblem('UPLOAD_TIMEOUT', {}));
    bytesInWindow = 0;
  }, milliseconds);
  stream.on('error', () => {});
  raw.on('error', () => {});
  signal.addEventListener('abort', end);
  room?.signal.addEventListener('abort', endForRoom);
  raw.pipe(stream);
  raw.on('data', count);
  if (signal.aborted) end();
  return {
    stream,
    stop,
    get problem() {
      return problem;
    },
  };
}
