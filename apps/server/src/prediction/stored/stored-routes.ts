import {
  audacityLabels,
  csvTable,
  type ExportFormat,
  exportQuerySchema,
  heardSpeciesQuerySchema,
  heardSpeciesSchema,
  listedPrediction,
  type Prediction,
  type PredictionFailed,
  type PredictionInWork,
  predictionListQuerySchema,
  predictionListSchema,
  predictionSchema,
  predictionsDeletedSchema,
  predictionsRestoredSchema,
  ravenTable,
  reconsiderationBodySchema,
  storedPredictionSchema,
  type TableOptions,
} from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { HttpProblem, problemBody } from '../../http/http-problem.ts';
import type { AccountOfRequest } from '../account-of-request.ts';
import type { WhoAsks } from '../audio/who-asks.ts';
import type { Deleted, Found, Predictions } from '../create-predictions.ts';
import { readProblem } from '../jobs/database-prediction-jobs.ts';
import { checkLanguage } from '../language.ts';
import type { ListenerSource } from '../listener-source.ts';
import { weekOfDate } from '../week-of-date.ts';
import { exportFileName } from './export-file-name.ts';
import type { FoundPrediction } from './prediction-store.ts';
import { unpackEvidence, unpackPrediction } from './stored-answer.ts';

export interface StoredRoutesOptions {
  readonly listeners: ListenerSource;
  readonly predictions: Predictions;
  readonly accounts: AccountOfRequest;
  readonly whoAsks: WhoAsks;
}

export const predictionParamsSchema = z.object({ id: z.string().min(1).max(200) });

interface ExportedFile {
  readonly type: string;
  readonly ending: string;
  readonly write: (prediction: Prediction, options: TableOptions) => string;
}

const tables: Readonly<Record<ExportFormat, ExportedFile>> = {
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv', write: (prediction, options) => csvTable([prediction], options) },
  raven: {
    type: 'text/tab-separated-values; charset=utf-8',
    ending: 'selections.txt',
    write: (prediction, options) => ravenTable([prediction], options),
  },
  audacity: { type: 'text/plain; charset=utf-8', ending: 'labels.txt', write: audacityLabels },
  json: {
    type: 'application/json; charset=utf-8',
    ending: 'json',
    write: (prediction, options) => `${JSON.stringify(listedPrediction(prediction, options), null, 2)}\n`,
  },
};

/** `/v1/predictions…`: what an account has asked and was told. Somebody else's prediction does not exist. */
export async function storedRoutes(scope: FastifyInstance, options: StoredRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { listeners, predictions, accounts, whoAsks } = options;
  const { store, work } = predictions;
  const config = { access: 'signedIn' } as const;

  // What people own is nobody's to keep on the way.
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-store');
  });

  /** What names are to be read in; null leaves them as they were given, also while no model is there to tell. */
  async function namesIn(language: string | undefined): Promise<ReadonlyMap<string, string> | null> {
    if (language === undefined) return null;
    const listener = await listeners.get().catch(() => null);
    if (listener === null) return null;
    checkLanguage(language, listener.languages);
    return listener.namesIn(language);
  }

  async function find(accountId: string, idOrKey: string): Promise<Found> {
    const found = await predictions.find(accountId, idOrKey);
    if (!found) throw new HttpProblem('NOT_FOUND', {});
    return found;
  }

  /** @throws HttpProblem NOT_FOUND, STILL_LISTENING, or why there is no answer */
  async function findAnswer(accountId: string, idOrKey: string): Promise<Prediction> {
    const found = await find(accountId, idOrKey);
    if (found.kind === 'stored' && found.row.answer) return unpackPrediction(found.row.answer);
    if (found.kind === 'arriving' || found.row.problem === null) throw new HttpProblem('STILL_LISTENING', {});
    const { code, details } = readProblem(found.row.problem);
    throw new HttpProblem(code, details);
  }

  function describeWork(found: Found): PredictionInWork {
    const { id, createdAtMs } = found.kind === 'arriving' ? found.arrival : found.row;
    const progress = work.progressOf(id);
    const stored = found.kind === 'stored' && found.row.state === 'listening' ? 'listening' : 'queued';
    return {
      id,
      createdAt: new Date(createdAtMs).toISOString(),
      fileName: found.kind === 'stored' ? found.row.fileName : null,
      stage: progress?.stage ?? stored,
      fraction: progress?.fraction ?? null,
      behindOthers: progress === null && predictions.isBehindOthers(found),
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
      const accountId = accounts.require(request);
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
      const accountId = accounts.require(request);
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
    async (request) => {
      const accountId = accounts.require(request);
      const found = await find(accountId, request.params.id);
      if (found.kind === 'arriving') return { state: 'inWork', work: describeWork(found) } as const;
      const { id, answer, problem } = found.row;
      if (answer) {
        const [prediction, kept] = await Promise.all([unpackPrediction(answer), predictions.keptAudioOf(accountId, [id])]);
        return { state: 'done', prediction, keptAudio: kept.get(id) ?? null } as const;
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
      const accountId = accounts.require(request);
      const deleted = await predictions.delete(accountId, await find(accountId, request.params.id));
      // Somebody else was quicker.
      if (deleted.deleted === 0) throw new HttpProblem('NOT_FOUND', {});
      return describeDeletion(deleted);
    },
  );

  app.delete(
    '/v1/predictions',
    { config, schema: { summary: 'Cancels all work and deletes all predictions', response: { 200: predictionsDeletedSchema } } },
    async (request) => describeDeletion(await predictions.deleteAll(accounts.require(request))),
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
      const restored = await predictions.restore(accounts.require(request), request.params.id);
      if (restored === 0) throw new HttpProblem('NOT_FOUND', {});
      return { restored };
    },
  );

  app.post(
    '/v1/predictions/restore',
    { config, schema: { summary: 'Undoes all deletions that still can be', response: { 200: predictionsRestoredSchema } } },
    async (request) => ({ restored: await predictions.restore(accounts.require(request), 'all') }),
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
    async (request) => {
      const prediction = await findAnswer(accounts.require(request), request.params.id);
      const listener = await listeners.get();
      // Evidence means something to the model that it comes from only.
      const { id, version, sha256 } = prediction.model;
      if (sha256 !== listener.model.sha256) throw new HttpProblem('MODEL_REPLACED', { model: `${id} ${version}` });
      const { latitude, longitude, date, minScore, top, language } = request.body;
      if (typeof language === 'string') checkLanguage(language, listener.languages);
      const evidence = await unpackEvidence(await store.evidenceOf(prediction.id));
      return listener.reconsider(prediction, evidence, {
        ...(typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : {}),
        ...(typeof date === 'string' ? { date, week: weekOfDate(date) } : {}),
        ...(typeof minScore === 'number' ? { minScore } : {}),
        ...(typeof top === 'number' ? { top } : {}),
        ...(typeof language === 'string' ? { language } : {}),
      });
    },
  );

  app.get(
    '/v1/predictions/:id/export',
    {
      config: { access: 'signedInOrTicket' },
      schema: {
        summary: 'The detections of a prediction as a file',
        description: 'Without what the place hides, unless `showHidden=true`.',
        params: predictionParamsSchema,
        querystring: exportQuerySchema,
        produces: Object.values(tables).map(({ type }) => type.split(';', 1)[0] ?? type),
      },
    },
    async (request, reply) => {
      const accountId = await whoAsks.requireFor(request, request.params.id, 'export');
      const prediction = await findAnswer(accountId, request.params.id);
      const { format, showHidden, excelSafe } = request.query;
      const { type, ending, write } = tables[format];
      return reply
        .type(type)
        .header('content-disposition', `attachment; ${exportFileName(prediction.recording.fileName, ending)}`)
        .send(write(prediction, { showHidden, excelSafe }));
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
