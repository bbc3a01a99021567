import { rm } from 'node:fs/promises';
import {
  expectedSpeciesQuerySchema,
  expectedSpeciesSchema,
  type Prediction,
  type PredictionFields,
  predictionFieldsSchema,
  predictionSchema,
} from '@chiffchaff/contract';
import type { Listener, ListenRequest } from '@chiffchaff/listening';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Access } from '../http/access.ts';
import { HttpProblem, invalidFields } from '../http/http-problem.ts';
import { connectionLost } from './connection.ts';
import { checkLanguage } from './language.ts';
import type { ListenerSource } from './listener-source.ts';
import type { PredictionQueue } from './prediction-queue.ts';
import { FORM_OVERHEAD_BYTES, receiveUpload, tooLarge, type Upload, type UploadLimits } from './receive-upload.ts';
import type { UploadFolder } from './upload-folder.ts';
import { weekOfDate } from './week-of-date.ts';

/** What predictions need of the rest of the server. */
export interface PredictionRoutesOptions {
  readonly listeners: ListenerSource;
  readonly queue: PredictionQueue;
  readonly uploads: UploadFolder;
  readonly limits: UploadLimits;
  readonly access: Access;
  /** Aborts when the server cannot wait for work in flight any longer. */
  readonly stopping: AbortSignal;
}

/** `POST /get_prediction` and `GET /v1/species`. */
export async function predictionRoutes(scope: FastifyInstance, options: PredictionRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { listeners, queue, uploads, limits, access, stopping } = options;

  // The body of a prediction is read by the route itself, piece by piece, whatever it is declared to be.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.post(
    '/get_prediction',
    {
      config: { access, form: { file: true, fields: predictionFieldsSchema } },
      schema: {
        summary: 'Tells which birds are heard in a recording',
        description:
          'A multipart form with the recording in the field `file`, and optional fields before or after it. What a recording is, is told by its content. Nothing is stored.',
        response: { 200: predictionSchema },
      },
    },
    async (request, reply) => {
      const lost = connectionLost(reply);
      const signal = AbortSignal.any([lost, stopping]);
      try {
        return await predict(request, signal);
      } catch (error) {
        if (lost.aborted) return reply.hijack();
        if (stopping.aborted) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 10 });
        throw error;
      }
    },
  );

  async function predict(request: FastifyRequest, signal: AbortSignal): Promise<Prediction> {
    const listener = await listeners.get();
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    if (announcedBytes > limits.maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge(limits.maxBytes, announcedBytes);
    const seat = queue.takeSeat();
    const path = uploads.newPath();
    try {
      const upload = await receiveUpload(request.raw, { path, limits, signal });
      const listenRequest = toListenRequest(upload, readFields(upload.fields), listener);
      const received = performance.now();
      const prediction = await seat.run(signal, () => {
        const queuedMs = Math.round(performance.now() - received);
        return listener.identify(listenRequest, { signal }).then((answer) => {
          logPrediction(request.log, answer, { bytes: upload.bytes, queuedMs });
          return answer;
        });
      });
      return prediction;
    } finally {
      seat.leave();
      await rm(path, { force: true });
    }
  }

  app.get(
    '/v1/species',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Species expected at a place and time',
        querystring: expectedSpeciesQuerySchema,
        response: { 200: expectedSpeciesSchema },
      },
    },
    async ({ query }) => {
      const listener = await listeners.get();
      const { latitude = 0, longitude = 0, date, language } = query;
      if (language !== undefined) checkLanguage(language, listener.languages);
      const species = await listener.expectedSpecies({
        latitude,
        longitude,
        ...(date === undefined ? {} : { week: weekOfDate(date) }),
        ...(language === undefined ? {} : { language }),
      });
      return { species: [...species] };
    },
  );
}

function readFields(fields: Readonly<Record<string, string>>): PredictionFields {
  const read = predictionFieldsSchema.safeParse(fields);
  if (read.success) return read.data;
  throw invalidFields(read.error.issues.map(({ path, message }) => ({ field: z.core.toDotPath(path), message })));
}

function toListenRequest({ path, fileName, sha256 }: Upload, fields: PredictionFields, { languages }: Listener): ListenRequest {
  const { latitude, longitude, date, language, minScore, top, overlapSeconds } = fields;
  if (language !== undefined) checkLanguage(language, languages);
  return {
    path,
    fileName,
    sha256,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(date === undefined ? {} : { week: weekOfDate(date) }),
    ...(language === undefined ? {} : { language }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(top === undefined ? {} : { top }),
    ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
  };
}

/** One line a prediction; nothing that names a recording or its place. */
function logPrediction(
  log: FastifyBaseLogger,
  { id, model, recording, verdict, timings }: Prediction,
  measured: { bytes: number; queuedMs: number },
): void {
  const { container, codec, durationSeconds } = recording;
  log.info(
    {
      predictionId: id,
      model: model.id,
      container,
      codec,
      audioSeconds: durationSeconds,
      verdict: verdict.kind,
      ...measured,
      ...timings,
    },
    'prediction',
  );
}
