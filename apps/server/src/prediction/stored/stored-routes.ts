import { Readable } from 'node:stream';
import { tableFormats } from '@chiffchaff/analysis';
import {
  type ExportFormat,
  exportQuerySchema,
  heardSpeciesQuerySchema,
  heardSpeciesSchema,
  type PredictionFailed,
  type PredictionInWork,
  predictionListQuerySchema,
  predictionListSchema,
  predictionSchema,
  predictionsDeletedSchema,
  predictionsRestoredSchema,
  reconsiderationBodySchema,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { HttpProblem, problemBody } from '../../http/http-problem.ts';
import { JSON_TYPE, sendJsonText } from '../../http/send-json-text.ts';
import { weekOfDate } from '../analysis-request.ts';
import type { AnalyzerSource } from '../analyzer-source.ts';
import { checkLanguage } from '../language.ts';
import type { Deleted, Found, Predictions } from '../predictions.ts';
import { readProblem } from '../queue/job-store.ts';
import type { Requesters } from '../requester.ts';
import type { StoredRow } from './answers.ts';
import { exportFileName } from './export-file-name.ts';
import type { FoundPrediction } from './prediction-store.ts';

export interface StoredRoutesOptions {
  readonly analyzers: AnalyzerSource;
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

export const predictionParamsSchema = z.object({ id: z.string().min(1).max(200) });

const FORMATS: Readonly<Record<ExportFormat, { readonly type: string; readonly ending: string }>> = {
  ...tableFormats,
  json: { type: JSON_TYPE, ending: 'json' },
};

/** `/v1/predictions…`: what an account has asked and was told. Another account's prediction does not exist. */
export async function storedRoutes(scope: FastifyInstance, options: StoredRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { analyzers, predictions, requesters } = options;
  const { store, answers, queue } = predictions;
  const config = { access: 'signedIn' } as const;

  // Private responses are never cached.
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-store');
  });

  /** What names are to be read in; null leaves them as they were given, also while no model is there to tell. */
  async function namesIn(language: string | undefined): Promise<ReadonlyMap<string, string> | null> {
    if (language === undefined) return null;
    const analyzer = await analyzers.get().catch(() => null);
    if (analyzer === null) return null;
    checkLanguage(language, analyzer.languages);
    return analyzer.namesIn(language);
  }

  async function find(accountId: string, idOrKey: string): Promise<Found> {
    const found = await predictions.find(accountId, idOrKey);
    if (!found) throw new HttpProblem('NOT_FOUND', {});
    return found;
  }

  /** @throws HttpProblem NOT_FOUND, STILL_LISTENING, or why there is no answer */
  async function findAnswer(accountId: string, idOrKey: string): Promise<StoredRow & { readonly fileName: string | null }> {
    const found = await find(accountId, idOrKey);
    if (found.kind === 'stored' && found.row.answerBytes !== null) {
      const { id, answerBytes, fileName } = found.row;
      return { id, accountId, answerBytes, fileName };
    }
    if (found.kind === 'arriving' || found.row.problem === null) throw new HttpProblem('STILL_LISTENING', {});
    const { code, details } = readProblem(found.row.problem);
    throw new HttpProblem(code, details);
  }

  function describeWork(found: Found): PredictionInWork {
    const { id, createdAtMs } = found.kind === 'arriving' ? found.pending : found.row;
    const progress = queue.progressOf(id);
    return {
      id,
      createdAt: new Date(createdAtMs).toISOString(),
      fileName: found.kind === 'stored' ? found.row.fileName : null,
      stage: progress?.stage ?? 'queued',
      fraction: progress?.fraction ?? null,
      behindOthers: queue.isBehindOthers(id),
    };
  }

  app.get(
    '/v1/predictions',
    {
      config,
      schema: {
        summary: 'Own predictions, newest first',
        querystring: predictionListQuerySchema,
        response: { 200: predictionListSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const names = await namesIn(request.query.language);
      const page = await store.list(accountId, request.query, names);
      const isFirst = request.query.cursor === undefined;
      const inWork = isFirst ? await store.inWork(accountId) : [];
      const failed = isFirst ? await store.failed(accountId) : [];
      const kept = await predictions.keptAudioOf(
        accountId,
        page.predictions.map(({ id }) => id),
      );
      return {
        inWork: inWork.map((row) => describeWork({ kind: 'stored', row })),
        failed: failed.map(describeFailure),
        predictions: page.predictions.map((one) => ({
          ...one,
          species: renamed(one.species, names),
          keptAudio: kept.get(one.id) ?? null,
        })),
        cursor: page.cursor,
      };
    },
  );

  app.get(
    '/v1/predictions/species',
    {
      config,
      schema: {
        summary: 'Species that own predictions name',
        querystring: heardSpeciesQuerySchema,
        response: { 200: heardSpeciesSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const names = await namesIn(request.query.language);
      return { species: renamed(await store.species(accountId), names) };
    },
  );

  app.get(
    '/v1/predictions/:id',
    {
      config,
      schema: {
        summary: 'A prediction, or how far the work is',
        params: predictionParamsSchema,
        response: { 200: storedPredictionSchema },
      },
    },
    async (request, reply) => {
      const accountId = requesters.require(request);
      const found = await find(accountId, request.params.id);
      if (found.kind === 'arriving') return { state: 'inWork', work: describeWork(found) } as const;
      const { id, answerBytes, problem } = found.row;
      if (answerBytes !== null) {
        const [text, kept] = await Promise.all([
          answers.jsonOf({ id, accountId, answerBytes }),
          predictions.keptAudioOf(accountId, [id]),
        ]);
        const keptAudio = JSON.stringify(kept.get(id) ?? null);
        return sendJsonText(reply, `{"state":"done","prediction":${text},"keptAudio":${keptAudio}}`);
      }
      if (problem === null) return { state: 'inWork', work: describeWork(found) } as const;
      const { code, details } = readProblem(problem);
      return { state: 'failed', problem: problemBody(code, details, id) } as const;
    },
  );

  app.delete(
    '/v1/predictions/:id',
    {
      config,
      schema: {
        summary: 'Cancels work, or deletes a prediction',
        description: 'An answer can be restored for a minute; then it and all that is kept with it is removed for good.',
        params: predictionParamsSchema,
        response: { 200: predictionsDeletedSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const deleted = await predictions.delete(accountId, await find(accountId, request.params.id));
      // Another request was quicker.
      if (deleted.deleted === 0) throw new HttpProblem('NOT_FOUND', {});
      return describeDeletion(deleted);
    },
  );

  app.delete(
    '/v1/predictions',
    { config, schema: { summary: 'Cancels all work and deletes all predictions', response: { 200: predictionsDeletedSchema } } },
    async (request) => describeDeletion(await predictions.deleteAll(requesters.require(request))),
  );

  app.post(
    '/v1/predictions/:id/restore',
    {
      config,
      schema: {
        summary: 'Undoes the deletion of a prediction',
        params: predictionParamsSchema,
        response: { 200: predictionsRestoredSchema },
      },
    },
    async (request) => {
      const restored = await predictions.restore(requesters.require(request), request.params.id);
      if (restored === 0) throw new HttpProblem('NOT_FOUND', {});
      return { restored };
    },
  );

  app.post(
    '/v1/predictions/restore',
    { config, schema: { summary: 'Undoes all deletions that still can be', response: { 200: predictionsRestoredSchema } } },
    async (request) => ({ restored: await predictions.restore(requesters.require(request), 'all') }),
  );

  app.post(
    '/v1/predictions/:id/conditions',
    {
      config,
      schema: {
        summary: 'The prediction under another place, date, threshold or language',
        description: 'Worked out from what was kept of the recording, without its audio. What is stored stays as it is.',
        params: predictionParamsSchema,
        body: reconsiderationBodySchema,
        response: { 200: predictionSchema },
      },
    },
    async (request, reply) => {
      const row = await findAnswer(requesters.require(request), request.params.id);
      const analyzer = await analyzers.get();
      const { latitude, longitude, date, minScore, top, language } = request.body;
      if (typeof language === 'string') checkLanguage(language, analyzer.languages);
      const text = await answers.reconsider(row, {
        ...(typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : {}),
        ...(typeof date === 'string' ? { date, week: weekOfDate(date) } : {}),
        ...(typeof minScore === 'number' ? { minScore } : {}),
        ...(typeof top === 'number' ? { top } : {}),
        ...(typeof language === 'string' ? { language } : {}),
      });
      return sendJsonText(reply, text);
    },
  );

  app.get(
    '/v1/predictions/:id/export',
    {
      config: { access: 'signedInOrTicket' },
      schema: {
        summary: 'The detections of a prediction as a file',
        description:
          'Without what the place hides, unless `showHidden=true`. The tables have all detections, also those that a prediction of very many leaves out; JSON is the prediction.',
        params: predictionParamsSchema,
        querystring: exportQuerySchema,
        produces: Object.values(FORMATS).map(({ type }) => type.split(';', 1)[0] ?? type),
      },
    },
    async (request, reply) => {
      const accountId = await requesters.requireFor(request, request.params.id, 'export');
      const row = await findAnswer(accountId, request.params.id);
      const { format, showHidden, excelSafe } = request.query;
      const options = { showHidden, excelSafe };
      const { type, ending } = FORMATS[format];
      const content =
        format === 'json' ? await answers.fileOf(row, options) : Readable.from(await answers.tableOf(row, format, options));
      return reply
        .type(type)
        .header('content-disposition', `attachment; ${exportFileName(row.fileName, ending)}`)
        .send(content);
    },
  );
}

function describeFailure({ id, createdAtMs, fileName, problem }: FoundPrediction): PredictionFailed {
  const { code, details } = readProblem(problem ?? '');
  return { id, createdAt: new Date(createdAtMs).toISOString(), fileName, problem: problemBody(code, details, id) };
}

function renamed<Named extends { readonly scientificName: string; readonly commonName: string }>(
  species: readonly Named[],
  names: ReadonlyMap<string, string> | null,
): Named[] {
  return species.map((one) => ({ ...one, commonName: names?.get(one.scientificName) ?? one.commonName }));
}

function describeDeletion({ deleted, restorableUntilMs }: Deleted) {
  return { deleted, restorableUntil: restorableUntilMs === null ? null : new Date(restorableUntilMs).toISOString() };
}
