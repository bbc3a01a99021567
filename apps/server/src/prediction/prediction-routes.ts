import {
  expectedSpeciesQuerySchema,
  expectedSpeciesSchema,
  type PredictionFields,
  predictionFieldsSchema,
  predictionSchema,
} from '@chiffchaff/contract';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type RouteAccess, routeFor } from '../http/access.ts';
import { clientDisconnected } from '../http/client-connection.ts';
import { HttpProblem, invalidFields } from '../http/http-problem.ts';
import { type FairLimiter, forVisitor } from '../http/limits/fair-limiter.ts';
import { networkOf } from '../http/limits/network-of.ts';
import { sendJsonText } from '../http/send-json-text.ts';
import { weekOfDate } from './analysis-request.ts';
import { announcedBytesOf } from './incoming/disk-guard.ts';
import { FORM_OVERHEAD_BYTES, receiveUpload, tooLarge, type UploadLimits } from './incoming/receive-upload.ts';
import { checkLanguage } from './language.ts';
import type { PredictionOrUpload } from './predictions.ts';
import type { AcceptedJob } from './queue/job-queue.ts';
import { mayBeAskedAgain } from './queue/job-store.ts';
import type { OwnersRoutesOptions } from './requester.ts';
import type { ResumableUploads } from './resumable/resumable-uploads.ts';

/** What predictions need from the rest of the server. */
export interface PredictionRoutesOptions extends OwnersRoutesOptions {
  readonly occurrenceLimiter: FairLimiter;
  readonly limits: UploadLimits;
  readonly resumable: ResumableUploads;
  readonly access: RouteAccess;
  /** Aborts when the server can no longer wait for work in progress. */
  readonly stopping: AbortSignal;
}

/** `POST /get_prediction` and `GET /v1/species`. */
export const predictionRoutes: FastifyPluginAsyncZod<PredictionRoutesOptions> = async (app, options) => {
  const { modelLoader, occurrenceLimiter, predictions, requesters, limits, resumable, access, stopping } = options;
  const { incoming, queue } = predictions;

  // The route itself reads the body of a prediction, piece by piece, whatever its declared type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.post(
    '/get_prediction',
    routeFor(
      access,
      {
        summary: 'Identify the birds in a recording',
        description:
          'A multipart form with the recording in the field `file` and optional fields before or after it. The format is recognised by content, not by name. With an account the prediction is stored; without one, nothing is. With the header `Idempotency-Key`, repeating the request returns the same prediction, and the analysis continues if the connection is lost.',
        response: { 200: predictionSchema },
      },
      { tokenScopes: ['predict'], readsOwnBody: true, form: { file: true, fields: predictionFieldsSchema } },
    ),
    async (request, reply) => {
      const lost = clientDisconnected(reply);
      const signal = AbortSignal.any([lost, stopping]);
      try {
        return sendJsonText(reply, await predict(request, signal));
      } catch (error) {
        if (lost.aborted) return reply.hijack();
        if (stopping.aborted) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 10 });
        throw error;
      }
    },
  );

  async function predict(request: FastifyRequest, signal: AbortSignal): Promise<string | Buffer> {
    const job = await takeIn(request, signal);
    const outcome = await job.outcome(signal);
    if (outcome.state === 'done') return outcome.text;
    throw new HttpProblem(outcome.problem.code, outcome.problem.details);
  }

  async function takeIn(request: FastifyRequest, signal: AbortSignal): Promise<AcceptedJob> {
    const { accountId = null, tokenId: apiTokenId = null } = (await requesters.find(request)) ?? {};
    const idempotencyKey = idempotencyKeyOf(request);
    const { languages } = await modelLoader.get();
    const announcedBytes = announcedBytesOf(request);
    if (announcedBytes !== null && announcedBytes > limits.maxBytes + FORM_OVERHEAD_BYTES)
      throw tooLarge(limits.maxBytes, announcedBytes);
    const sender = { accountId, apiTokenId, network: networkOf(request.ip) };
    const isRepeated =
      idempotencyKey !== null && accountId !== null && isAnswer(await predictions.find(accountId, idempotencyKey));
    await queue.requireRoom(sender);
    await using pending = await incoming.begin({ sender, idempotencyKey, announcedBytes, isRepeated });
    return await pending.becomes(async () => {
      const { path, count } = pending;
      const arriving = AbortSignal.any([signal, pending.signal]);
      const handOver = (id: string) => resumable.handOver(accountId, id, path, arriving);
      const upload = await receiveUpload(request.raw, { path, limits, signal: arriving, handOver, onBytes: count });
      const fields = readFields(upload.fields);
      if (fields.language !== undefined) checkLanguage(fields.language, languages);
      if (upload.isGone === undefined) await pending.store();
      arriving.throwIfAborted();
      const job = await queue.add({ pending, upload, fields });
      await upload.onAccepted?.();
      if (!job.isNew) await pending.giveBack();
      return job;
    });
  }

  app.get(
    '/v1/species',
    routeFor('public', {
      summary: 'List the species expected at a place and time',
      querystring: expectedSpeciesQuerySchema,
      response: { 200: expectedSpeciesSchema },
    }),
    async (request, reply) => {
      const analyzer = await modelLoader.get();
      const { latitude = 0, longitude = 0, date, language } = request.query;
      if (language !== undefined) checkLanguage(language, analyzer.languages);
      const place = { latitude, longitude, ...(date && { week: weekOfDate(date) }), ...(language && { language }) };
      return forVisitor(request, reply, async (visitor) => ({
        species: [...(await occurrenceLimiter.run(visitor, () => analyzer.expectedSpecies(place)))],
      }));
    },
  );
};

/** Whether what a key stands for answers a repeated request. A temporary failure does not; it is analysed again. */
function isAnswer(found: PredictionOrUpload | null): boolean {
  return found !== null && ('cancel' in found || !mayBeAskedAgain(found.problem));
}

function readFields(fields: Readonly<Record<string, string>>): PredictionFields {
  const read = predictionFieldsSchema.safeParse(fields);
  if (read.success) return read.data;
  throw invalidFields(read.error.issues.map(({ path, message }) => ({ field: z.core.toDotPath(path), message })));
}

/** The key that makes repeating a request harmless; null without one. @throws HttpProblem REQUEST_INVALID */
function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,100}$/.test(key)) return key;
  throw invalidFields([{ field: 'Idempotency-Key', message: 'must be 1 to 100 visible ASCII characters' }]);
}
