import { basename, dirname } from 'node:path';
import { accountSettingsSchema, spectrogramQuerySchema, ticketBodySchema, ticketSchema } from '@chiffchaff/contract';
import { send } from '@fastify/send';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { bufferOf } from '../../buffer-of.ts';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import { connectionLost } from '../connection.ts';
import type { Predictions } from '../predictions.ts';
import type { Requesters } from '../requester.ts';
import type { AudioRetention, PlayableSound } from './audio-retention.ts';

export interface AudioRoutesOptions {
  readonly sounds: AudioRetention;
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

const paramsSchema = z.object({ id: z.string().min(1).max(200) });
const ticketQuerySchema = z.object({ ticket: z.string().max(2000).optional() });
const SIGNED_IN = { access: 'signedIn' } as const;
const SIGNED_IN_OR_TICKET = { access: 'signedInOrTicket' } as const;
const OWNERS_ONLY = 'private, no-store';

/** Kept sound of predictions: listened to, looked at, and what accounts want kept. Another account's prediction does not exist. */
export async function audioRoutes(scope: FastifyInstance, options: AudioRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { sounds, predictions, requesters } = options;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', OWNERS_ONLY));

  async function find(accountId: string, idOrKey: string): Promise<string> {
    const found = await predictions.find(accountId, idOrKey);
    if (found?.kind !== 'stored') throw new HttpProblem('NOT_FOUND', {});
    return found.row.id;
  }

  app.get(
    '/v1/account/settings',
    {
      config: SIGNED_IN,
      schema: { summary: 'What is kept of recordings whose request says nothing else', response: { 200: accountSettingsSchema } },
    },
    async (request) => ({ keepAudio: await sounds.store.settingOf(requesters.require(request)) }),
  );

  app.post(
    '/v1/account/settings',
    {
      config: SIGNED_IN,
      schema: {
        summary: 'Change what is kept; what is kept already stays',
        body: accountSettingsSchema,
        response: { 200: accountSettingsSchema },
      },
    },
    async (request) => {
      await sounds.store.changeSetting(requesters.require(request), request.body.keepAudio);
      return request.body;
    },
  );

  app.post(
    '/v1/predictions/:id/ticket',
    {
      config: SIGNED_IN,
      schema: {
        summary: 'A link for elements of a page, which cannot send a header',
        description:
          'Holds for five minutes, for this account, prediction and purpose, and no longer than the sign-in that asked.',
        params: paramsSchema,
        body: ticketBodySchema,
        response: { 200: ticketSchema },
      },
    },
    async (request) => {
      const id = await find(requesters.require(request), request.params.id);
      return requesters.issueTicket(request, id, request.body.purpose);
    },
  );

  app.get(
    '/v1/predictions/:id/audio',
    {
      config: SIGNED_IN_OR_TICKET,
      schema: {
        summary: 'The kept sound of a recording',
        description: 'Answers `Range`. Waits some seconds for sound that is being made, then says 503 SOUND_NOT_READY.',
        params: paramsSchema,
        querystring: ticketQuerySchema,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const accountId = await requesters.requireFor(request, id, 'audio');
      const predictionId = await find(accountId, id);
      return whileWaited(reply, async (signal) => sendSound(request, reply, await sounds.play(accountId, predictionId, signal)));
    },
  );

  app.get(
    '/v1/predictions/:id/spectrogram',
    {
      config: SIGNED_IN,
      schema: {
        summary: 'What a stretch of the kept sound looks like',
        description:
          '`columns` × `rows` bytes, column after column, each from 0 Hz upwards: 0 is the recording’s quiet, 255 its loudest. Waits some seconds for sound that is being made, then says 503 SOUND_NOT_READY.',
        params: paramsSchema,
        querystring: spectrogramQuerySchema,
        produces: ['application/octet-stream'],
      },
    },
    async (request, reply) => {
      const { params, query } = request;
      const accountId = requesters.require(request);
      if (query.endSeconds <= query.startSeconds) {
        throw invalidFields([{ field: 'endSeconds', message: 'must be after startSeconds' }]);
      }
      const predictionId = await find(accountId, params.id);
      return whileWaited(reply, async (signal) => {
        const tile = await sounds.show(accountId, predictionId, query, signal);
        return reply.type('application/octet-stream').send(bufferOf(tile));
      });
    },
  );
}

/** A client that has gone is not answered. */
async function whileWaited<Value>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | FastifyReply> {
  const gone = connectionLost(reply);
  try {
    return await work(gone);
  } catch (error) {
    if (gone.aborted) return reply.hijack();
    throw error;
  }
}

async function sendSound(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, mediaType }: PlayableSound,
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
