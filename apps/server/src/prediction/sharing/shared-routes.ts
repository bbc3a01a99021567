import { Readable } from 'node:stream';
import { CLIP_MEDIA_TYPE } from '@chiffchaff/analysis';
import { sharedPredictionSchema, sharedQuerySchema } from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { bufferOf } from '../../buffer-of.ts';
import { routeFor } from '../../http/access.ts';
import { existing } from '../../http/http-problem.ts';
import { forVisitor } from '../../http/limits/fair-limiter.ts';
import { sendSound } from '../audio/audio-routes.ts';
import { namesIn } from '../language.ts';
import type { ModelLoader } from '../model-loader.ts';
import type { LinkStore, SharedRow } from './link-store.ts';
import type { SharedPredictions } from './shared-predictions.ts';

export interface SharedRoutesOptions {
  readonly links: LinkStore;
  readonly shared: SharedPredictions;
  readonly modelLoader: ModelLoader;
  /** Sends the page; null if only the API is served. */
  readonly sendPage: ((request: FastifyRequest, reply: FastifyReply, status: number) => Promise<void>) | null;
}

const tokenParamsSchema = z.object({ token: z.string() });
const birdParamsSchema = tokenParamsSchema.extend({ scientificName: z.string().min(1).max(100) });

/**
 * What everyone with a link can see. A link that has ended is answered like one that never existed. Search engines are told to stay away,
 * even from what is not found.
 */
export const sharedRoutes: FastifyPluginAsyncZod<SharedRoutesOptions> = async (app, options) => {
  const { links, shared, modelLoader, sendPage } = options;
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' });
  });

  /** A token has 128 bits and cannot be guessed, so wrong ones are not counted. @throws HttpProblem NOT_FOUND */
  async function find({ params }: FastifyRequest<{ Params: { token: string } }>): Promise<SharedRow> {
    return existing(await links.find(params.token));
  }

  app.get(
    '/v1/shared/:token',
    routeFor('public', {
      summary: 'Get the result behind a public link',
      description:
        'Names no account, file, place or time: only the birds, the month and the country or region. 404 once the link has been revoked or its prediction or account is gone.',
      params: tokenParamsSchema,
      querystring: sharedQuerySchema,
      response: { 200: sharedPredictionSchema },
    }),
    async (request, reply) => {
      const row = await find(request);
      const { language } = request.query;
      const of = await namesIn(modelLoader, language);
      const names = of === null || language === undefined ? null : { language, of };
      return forVisitor(request, reply, (visitor) => shared.describe(row, names, visitor));
    },
  );

  app.get(
    '/v1/shared/:token/sound/:scientificName',
    routeFor('public', {
      summary: 'Get a few seconds of a bird behind a public link',
      description: 'WAV without any metadata; supports `Range`. 404 unless the owner shares sound and it is kept.',
      params: birdParamsSchema,
      produces: [CLIP_MEDIA_TYPE],
    }),
    async (request, reply) => {
      const row = await find(request);
      return forVisitor(request, reply, async (visitor) => {
        const bytes = bufferOf(await shared.soundOf(row, request.params.scientificName, visitor));
        return sendSound(request, reply, {
          bytes: bytes.length,
          mediaType: CLIP_MEDIA_TYPE,
          read: async ({ firstByte, lastByte }) => Readable.from([bytes.subarray(firstByte, lastByte + 1)]),
        });
      });
    },
  );

  app.get(
    '/v1/shared/:token/spectrogram/:scientificName',
    routeFor('public', {
      summary: 'Get the spectrogram of a few seconds of a bird behind a public link',
      description:
        'Columns of 64 bytes, each from 0 to 12,000 Hz: 0 is the recording’s noise floor, 255 its loudest point. 404 unless the sound is kept; it need not be shared.',
      params: birdParamsSchema,
      produces: ['application/octet-stream'],
    }),
    async (request, reply) => {
      const row = await find(request);
      return forVisitor(request, reply, async (visitor) => {
        const levels = await shared.pictureOf(row, request.params.scientificName, visitor);
        return reply.type('application/octet-stream').send(bufferOf(levels));
      });
    },
  );

  if (sendPage === null) return;
  // Its own route, so that the status is the link's and the token in the URL is not logged.
  app.get('/shared/:token', routeFor('public', { hide: true, params: tokenParamsSchema }), async (request, reply) => {
    await sendPage(request, reply, (await links.find(request.params.token)) === null ? 404 : 200);
    return reply;
  });
};
