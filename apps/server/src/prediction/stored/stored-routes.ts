import { tableFormats } from '@chiffchaff/analysis';
import {
  type BirdReview,
  type ExportFormat,
  exportQuerySchema,
  type FailedPrediction,
  type PredictionFields,
  type PredictionInWork,
  predictionDaysSchema,
  predictionListQuerySchema,
  predictionListSchema,
  predictionsDeletedSchema,
  predictionsRestoredSchema,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor, routeToRead } from '../../http/access.ts';
import { whileClientConnected } from '../../http/client-connection.ts';
import { HttpProblem, problemBody } from '../../http/http-problem.ts';
import type { ExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import { JSON_TYPE, sendJsonText } from '../../http/send-json-text.ts';
import { type NamesPlaces, namePlaces } from '../../places/name-places.ts';
import { namesIn } from '../language.ts';
import type { PredictionOrUpload } from '../predictions.ts';
import { type JobProgress, waitingProgress } from '../queue/job.ts';
import { readProblem } from '../queue/job-store.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { findAnswer, findPrediction } from './find-answer.ts';
import type { FoundPrediction } from './prediction-store.ts';

/** The `filename` parameters of a download (RFC 6266): the recording's name with another extension, as ASCII and in full. */
function exportFileName(recording: string | null, ending: string): string {
  const name = `${(recording ?? '').replace(/\.[^.]{1,5}$/, '') || 'prediction'}.${ending}`;
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${full}`;
}

export const predictionParamsSchema = z.object({ id: z.string().min(1).max(200) });

const FORMATS: Readonly<Record<ExportFormat, { readonly type: string; readonly ending: string }>> = {
  ...tableFormats,
  json: { type: JSON_TYPE, ending: 'json' },
};

/** `/v1/predictions…`: the stored predictions of an account. Those of other accounts are invisible. */
export const storedRoutes: FastifyPluginAsyncZod<
  OwnersRoutesOptions & NamesPlaces & { readonly exports: ExportsUnderWay }
> = async (app, options) => {
  const { modelLoader, predictions, requesters, exports } = options;
  const { store, lifeList, answers, reviews, queue } = predictions;

  function describeWork(found: PredictionOrUpload, progress: ReadonlyMap<string, JobProgress>): PredictionInWork {
    const { id, createdAtMs } = found;
    const { stage, fraction, behindOthers } = progress.get(id) ?? waitingProgress(false);
    const fileName = 'cancel' in found ? null : found.fileName;
    return { id, createdAt: new Date(createdAtMs).toISOString(), fileName, stage, fraction, behindOthers };
  }

  async function workOn(found: PredictionOrUpload) {
    return { state: 'inWork', work: describeWork(found, await queue.progressOf([found.id])) } as const;
  }

  app.get(
    '/v1/predictions',
    routeToRead({
      summary: 'List your predictions, newest first',
      querystring: predictionListQuerySchema,
      response: { 200: predictionListSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const names = await namesIn(modelLoader, request.query.language);
      const page = await store.list(accountId, request.query, names);
      const isFirst = request.query.cursor === undefined;
      const inWork = isFirst ? await store.inWork(accountId) : [];
      const progress = await queue.progressOf(inWork.map(({ id }) => id));
      const failed = isFirst ? await store.failed(accountId) : [];
      const ids = page.predictions.map(({ id }) => id);
      const [kept, corrected, named] = await Promise.all([
        predictions.keptAudioOf(accountId, ids),
        reviews.ofAll(ids),
        namePlaces(
          options,
          page.predictions.map(({ place }) => place),
          app.log,
        ),
      ]);
      return {
        inWork: inWork.map((row) => describeWork(row, progress)),
        failed: failed.map(describeFailure),
        predictions: page.predictions.map((one) => ({
          ...one,
          place: named(one.place),
          verdict: {
            ...one.verdict,
            tiedBirds: one.verdict.tiedBirds && renamed(one.verdict.tiedBirds, names),
            elsewhere: one.verdict.elsewhere && renamed([one.verdict.elsewhere], names)[0],
          },
          species: renamed(one.species, names),
          reviews: corrected.has(one.id)
            ? renamed(corrected.get(one.id) ?? [], names).map((review) => renamedTarget(review, names))
            : undefined,
          keptAudio: kept.get(one.id) ?? null,
        })),
        cursor: page.cursor,
      };
    },
  );

  app.get(
    '/v1/predictions/days',
    routeToRead({ summary: 'Count your predictions by day', response: { 200: predictionDaysSchema } }),
    async (request) => ({ days: [...(await store.days(requesters.require(request)))] }),
  );

  app.get(
    '/v1/predictions/:id',
    routeToRead({
      summary: 'Get a prediction, or the progress of its analysis',
      params: predictionParamsSchema,
      response: { 200: storedPredictionSchema },
    }),
    async (request, reply) => {
      const accountId = requesters.require(request);
      const found = await findPrediction(predictions, accountId, request.params.id);
      if ('cancel' in found) return workOn(found);
      const { id, answerBytes, problem } = found;
      if (answerBytes !== null) {
        // First, so that a request that is refused its turn costs no queries.
        const text = await answers.jsonOf({ id, accountId, answerBytes });
        const { latitude, longitude }: Partial<PredictionFields> = JSON.parse(found.fields);
        const place = latitude == null || longitude == null ? null : { latitude, longitude };
        const [kept, conditionsChanged, heardBefore, named] = await Promise.all([
          predictions.keptAudioOf(accountId, [id]),
          predictions.conditions.areChanged(id),
          lifeList.heardBefore(accountId, id),
          namePlaces(options, [place], app.log),
        ]);
        const rest = { keptAudio: kept.get(id) ?? null, conditionsChanged, heardBefore, town: named(place)?.town };
        return sendJsonText(reply, '{"state":"done","prediction":', text, `,${JSON.stringify(rest).slice(1)}`);
      }
      if (problem === null) return workOn(found);
      const { code, details } = readProblem(problem);
      return { state: 'failed', problem: problemBody(code, details, id) } as const;
    },
  );

  app.delete(
    '/v1/predictions/:id',
    routeFor('signedIn', {
      summary: 'Cancel an analysis or delete a prediction',
      description: 'A deleted prediction can be restored for a minute. Then it and everything kept with it are deleted for good.',
      params: predictionParamsSchema,
      response: { 200: predictionsDeletedSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const deleted = await predictions.delete(accountId, request.params.id);
      if (deleted.deleted === 0) throw new HttpProblem('NOT_FOUND', {});
      return deleted;
    },
  );

  app.delete(
    '/v1/predictions',
    routeFor('signedIn', {
      summary: 'Cancel all analyses and delete all predictions',
      response: { 200: predictionsDeletedSchema },
    }),
    async (request) => predictions.deleteAll(requesters.require(request)),
  );

  app.post(
    '/v1/predictions/:id/restore',
    routeFor('signedIn', {
      summary: 'Undo the deletion of a prediction',
      params: predictionParamsSchema,
      response: { 200: predictionsRestoredSchema },
    }),
    async (request) => {
      const restored = await predictions.restore(requesters.require(request), request.params.id);
      if (restored === 0) throw new HttpProblem('NOT_FOUND', {});
      return { restored };
    },
  );

  app.post(
    '/v1/predictions/restore',
    routeFor('signedIn', {
      summary: 'Undo every deletion that can still be undone',
      response: { 200: predictionsRestoredSchema },
    }),
    async (request) => ({ restored: await predictions.restore(requesters.require(request), 'all') }),
  );

  app.get(
    '/v1/predictions/:id/export',
    routeToRead(
      {
        summary: 'Download the detections of a prediction',
        description:
          'Detections hidden by location are left out unless `showHidden=true`. The tables contain all detections, even those left out of a prediction with very many; JSON is the prediction.',
        params: predictionParamsSchema,
        querystring: exportQuerySchema,
        produces: Object.values(FORMATS).map(({ type }) => type.split(';', 1)[0] ?? type),
      },
      'signedInOrTicket',
    ),
    async (request, reply) => {
      const accountId = await requesters.requireFor(request, request.params.id, 'export');
      const row = await findAnswer(predictions, accountId, request.params.id);
      const { format, showHidden, excelSafe } = request.query;
      const options = { showHidden, excelSafe };
      const { type, ending } = FORMATS[format];
      reply.type(type).header('content-disposition', `attachment; ${exportFileName(row.fileName, ending)}`);
      if (format === 'json') return reply.send(await answers.fileOf(row, options));
      return whileClientConnected(reply, async (signal) => {
        const open = () => answers.tableOf(row, format, options, { signal });
        return reply.send(await (answers.isLarge(row) ? exports.begin(accountId, open) : open()));
      });
    },
  );
};

function describeFailure({ id, createdAtMs, fileName, problem }: FoundPrediction): FailedPrediction {
  const { code, details } = readProblem(problem ?? '');
  return { id, createdAt: new Date(createdAtMs).toISOString(), fileName, problem: problemBody(code, details, id) };
}

/** With the names of a language; null leaves them as they are. */
export function renamed<Named extends { readonly scientificName: string; readonly commonName: string }>(
  species: readonly Named[],
  names: ReadonlyMap<string, string> | null,
): Named[] {
  return species.map((one) => ({ ...one, commonName: names?.get(one.scientificName) ?? one.commonName }));
}

function renamedTarget(review: BirdReview, names: ReadonlyMap<string, string> | null): BirdReview {
  const { to, toCommonName } = review;
  return { ...review, toCommonName: names?.get(to ?? '') ?? toCommonName };
}
