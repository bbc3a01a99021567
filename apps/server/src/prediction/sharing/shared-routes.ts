import { Readable } from 'node:stream';
import { CLIP_MEDIA_TYPE, type Stretch } from '@chiffchaff/analysis';
import {
  type Conditions,
  type Prediction,
  SHARED_ROWS,
  type SharedPrediction,
  sharedPredictionSchema,
  sharedQuerySchema,
} from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { bufferOf } from '../../buffer-of.ts';
import { routeFor } from '../../http/access.ts';
import { existing, HttpProblem } from '../../http/http-problem.ts';
import { type ConnectedRequester, forVisitor } from '../../http/limits/fair-limiter.ts';
import type { PlaceIndex } from '../../places/place-index.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { sendSound } from '../audio/audio-routes.ts';
import { createCachedWork } from '../cached-work.ts';
import { namesIn } from '../language.ts';
import type { ModelLoader } from '../model-loader.ts';
import type { Predictions } from '../predictions.ts';
import type { LinkStore, SharedRow } from './link-store.ts';
import { clipOf, type ShownBird, shownBirds } from './shared-birds.ts';

export interface SharedRoutesOptions {
  readonly links: LinkStore;
  readonly predictions: Pick<Predictions, 'answers' | 'reviews' | 'keptAudioOf'>;
  readonly sounds: Pick<AudioRetention, 'cut' | 'show'>;
  readonly places: Pick<PlaceIndex, 'regionAt'>;
  readonly modelLoader: ModelLoader;
  /** Sends the page; null if only the API is served. */
  readonly sendPage: ((request: FastifyRequest, reply: FastifyReply, status: number) => Promise<void>) | null;
}

/** What visitors see of an answer and its reviews. */
interface OpenedAnswer extends Pick<Prediction, 'conditions' | 'model' | 'recording'> {
  readonly birds: readonly ShownBird[];
}

const MOST_OPENED = 32;
/** Narrower columns would be computed from the audio itself. */
const COLUMN_SECONDS = 0.07;
const MAX_HZ = 12_000;
const WEEKS_A_MONTH = 4;

const tokenParamsSchema = z.object({ token: z.string() });
const birdParamsSchema = tokenParamsSchema.extend({ scientificName: z.string().min(1).max(100) });

/**
 * What everyone with a link can see: a prediction after its owner's reviews. A link that has ended is answered like one that never existed.
 * Search engines are told to stay away, even from what is not found.
 */
export const sharedRoutes: FastifyPluginAsyncZod<SharedRoutesOptions> = async (app, options) => {
  const { links, predictions, sounds, places, modelLoader, sendPage } = options;
  const opened = createCachedWork<OpenedAnswer>(MOST_OPENED);
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' });
  });

  /** A token has 128 bits and cannot be guessed, so wrong ones are not counted. @throws HttpProblem NOT_FOUND */
  async function find({ params }: FastifyRequest<{ Params: { token: string } }>): Promise<SharedRow> {
    return existing(await links.find(params.token));
  }

  /** The answer, and its birds with the part of each that can be played. @throws HttpProblem NOT_FOUND, SERVER_BUSY */
  async function open(row: SharedRow, visitor: ConnectedRequester) {
    const answer = await opened([row.id, row.revision], visitor.signal, async (signal) => {
      const { prediction } = await predictions.answers.headOf(row, { ...visitor, signal });
      const { conditions, model, recording } = prediction;
      return { conditions, model, recording, birds: shownBirds(prediction, await predictions.reviews.of(row.id)) };
    });
    const kept = (await predictions.keptAudioOf(row.accountId, [row.id])).get(row.id);
    const { durationSeconds } = answer.recording;
    return { ...answer, birds: answer.birds.map((bird) => ({ ...bird, clip: clipOf(bird.best, kept, durationSeconds) })) };
  }

  /** @throws HttpProblem NOT_FOUND when that bird is not shown, or none of its audio is kept; SERVER_BUSY */
  async function findClip(row: SharedRow, scientificName: string, visitor: ConnectedRequester): Promise<Stretch> {
    const { birds } = await open(row, visitor);
    return existing(birds.find((bird) => bird.scientificName === scientificName)?.clip);
  }

  /** Only of a stated place; an assumed one is not the recording's. */
  async function regionOf({ latitude, longitude }: Conditions): Promise<string | null> {
    if (latitude === null || longitude === null) return null;
    try {
      return await places.regionAt(latitude, longitude);
    } catch (error) {
      app.log.warn({ err: error }, 'the region of a shared prediction could not be looked up');
      return null;
    }
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
      const names = await namesIn(modelLoader, language);
      return forVisitor(request, reply, async (visitor): Promise<SharedPrediction> => {
        const { birds, conditions, model } = await open(row, visitor);
        const { licence, attribution } = model;
        return {
          birds: birds.map(({ best: _, clip, ...bird }) => ({
            ...bird,
            commonName: names?.get(bird.scientificName) ?? bird.commonName,
            clip: clip && { durationSeconds: clip.endSeconds - clip.startSeconds, sound: row.sound },
          })),
          month: monthOf(conditions),
          region: await regionOf(conditions),
          language: (names && language) ?? conditions.language,
          model: { licence, attribution },
        };
      });
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
      if (!row.sound) throw new HttpProblem('NOT_FOUND', {});
      return forVisitor(request, reply, async (visitor) => {
        const clip = await findClip(row, request.params.scientificName, visitor);
        const bytes = bufferOf(await sounds.cut({ accountId: row.accountId, predictionId: row.id }, clip, visitor));
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
        const clip = await findClip(row, request.params.scientificName, visitor);
        const columns = Math.max(1, Math.floor((clip.endSeconds - clip.startSeconds) / COLUMN_SECONDS));
        const tile = { ...clip, maxHz: MAX_HZ, columns, rows: SHARED_ROWS };
        const levels = await sounds.show({ accountId: row.accountId, predictionId: row.id }, tile, visitor);
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

/** A week of the model is a quarter of a month. */
function monthOf({ date, week }: Conditions): SharedPrediction['month'] {
  if (date) return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)) };
  return week === null ? null : { year: null, month: Math.ceil(week / WEEKS_A_MONTH) };
}
