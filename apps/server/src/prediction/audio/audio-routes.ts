import { Readable } from 'node:stream';
import { accountSettingsSchema, spectrogramQuerySchema, ticketBodySchema, ticketSchema } from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { bufferOf } from '../../buffer-of.ts';
import { routeFor, routeToRead } from '../../http/access.ts';
import { whileClientConnected } from '../../http/client-connection.ts';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { ByteRange } from '../../storage/object-storage.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { findPrediction } from '../stored/find-answer.ts';
import { predictionParamsSchema } from '../stored/stored-routes.ts';
import type { AudioRetention, PlayableSound } from './audio-retention.ts';

const ticketQuerySchema = z.object({ ticket: z.string().max(2000).optional() });

/** Kept audio of predictions: playback, spectrograms, and what accounts want kept. Predictions of other accounts are invisible. */
export const audioRoutes: FastifyPluginAsyncZod<OwnersRoutesOptions & { readonly sounds: AudioRetention }> = async (
  app,
  options,
) => {
  const { sounds, predictions, requesters } = options;

  async function find(accountId: string, idOrKey: string): Promise<string> {
    const found = await findPrediction(predictions, accountId, idOrKey);
    if ('cancel' in found) throw new HttpProblem('NOT_FOUND', {});
    return found.id;
  }

  app.get(
    '/v1/account/settings',
    routeFor('signedIn', { summary: 'Get what is kept of recordings by default', response: { 200: accountSettingsSchema } }),
    async (request) => ({ keepAudio: await sounds.store.settingOf(requesters.require(request)) }),
  );

  app.post(
    '/v1/account/settings',
    routeFor('signedIn', {
      summary: 'Change what is kept by default; audio already kept stays',
      body: accountSettingsSchema,
      response: { 200: accountSettingsSchema },
    }),
    async (request) => {
      await sounds.store.changeSetting(requesters.require(request), request.body.keepAudio);
      return request.body;
    },
  );

  app.post(
    '/v1/predictions/:id/ticket',
    routeFor('signedIn', {
      summary: 'Get a link for page elements, which cannot send headers',
      description:
        'Valid for five minutes, for this account, prediction and purpose, and no longer than the session that requested it.',
      params: predictionParamsSchema,
      body: ticketBodySchema,
      response: { 200: ticketSchema },
    }),
    async (request) => {
      const id = await find(requesters.require(request), request.params.id);
      return requesters.issueTicket(request, id, request.body.purpose);
    },
  );

  app.get(
    '/v1/predictions/:id/audio',
    routeToRead(
      {
        summary: 'Get the kept audio of a recording',
        description: 'Supports `Range`. Waits a few seconds for audio that is being prepared, then returns 503 SOUND_NOT_READY.',
        params: predictionParamsSchema,
        querystring: ticketQuerySchema,
      },
      'signedInOrTicket',
    ),
    async (request, reply) => {
      const { id } = request.params;
      const accountId = await requesters.requireFor(request, id, 'audio');
      const predictionId = await find(accountId, id);
      return whileClientConnected(reply, async (signal) =>
        sendSound(request, reply, await sounds.play(accountId, predictionId, signal)),
      );
    },
  );

  app.get(
    '/v1/predictions/:id/spectrogram',
    routeToRead({
      summary: 'Get the spectrogram of part of the kept audio',
      description:
        '`columns` × `rows` bytes, column after column, each from 0 Hz upwards: 0 is the recording’s noise floor, 255 its loudest point. Waits a few seconds for audio that is being prepared, then returns 503 SOUND_NOT_READY.',
      params: predictionParamsSchema,
      querystring: spectrogramQuerySchema,
      produces: ['application/octet-stream'],
    }),
    async (request, reply) => {
      const { params, query } = request;
      const accountId = requesters.require(request);
      if (query.endSeconds <= query.startSeconds) {
        throw invalidFields([{ field: 'endSeconds', message: 'must be after startSeconds' }]);
      }
      const predictionId = await find(accountId, params.id);
      return whileClientConnected(reply, async (signal) => {
        const tile = await sounds.show({ accountId, predictionId }, query, { owner: accountId, signal });
        return reply.type('application/octet-stream').send(bufferOf(tile));
      });
    },
  );

  app.get(
    '/v1/predictions/:id/overview',
    routeToRead({
      summary: 'Get a picture of the whole recording',
      description:
        'Evenly spaced columns of 64 bytes, each from 0 to 15,000 Hz: 0 is the recording’s noise floor, 255 its loudest point. A column covers 1, 2, 4, … seconds, so that there are at most 3,600. It stays as long as the prediction, whatever is kept of the audio. Empty if the recording is shorter than a minute, or if nothing of its audio was to be kept.',
      params: predictionParamsSchema,
      produces: ['application/octet-stream'],
    }),
    async (request, reply) => {
      const id = await find(requesters.require(request), request.params.id);
      const levels = (await predictions.store.overviewOf(id)) ?? new Uint8Array();
      return reply.type('application/octet-stream').send(bufferOf(levels));
    },
  );
};

/** Streams audio, or the requested range of it, as fast as the client reads. Kept audio never changes, so no range is outdated. */
export async function sendSound(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes, mediaType, read }: PlayableSound,
): Promise<FastifyReply> {
  reply.headers({ 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff' });
  const asked = readRange(headers.range, bytes);
  if (asked === 'beyond') return reply.code(416).header('content-range', `bytes */${bytes}`).send();
  const range = asked ?? { firstByte: 0, lastByte: bytes - 1 };
  if (asked !== null) reply.code(206).header('content-range', `bytes ${range.firstByte}-${range.lastByte}/${bytes}`);
  reply.header('content-length', range.lastByte - range.firstByte + 1).type(mediaType);
  return reply.send(method === 'HEAD' ? Readable.from([]) : await read(range));
}

/** @returns null when all of it is to be sent: without a range, with several, or with an invalid one (RFC 9110, 14.2) */
function readRange(header: string | undefined, bytes: number): ByteRange | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const firstByte = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const lastByte = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  return firstByte > lastByte ? 'beyond' : { firstByte, lastByte };
}
