import { type Correction, correctionBodySchema, correctionParamsSchema, correctionsSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { ModelLoader } from '../model-loader.ts';
import type { Predictions } from '../predictions.ts';
import type { Requesters } from '../requester.ts';
import type { NewCorrection } from './correction-store.ts';
import { findAnswer } from './find-answer.ts';
import { predictionParamsSchema } from './stored-routes.ts';

export interface CorrectionRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

/** Corrections of the birds in an account's predictions. */
export async function correctionRoutes(scope: FastifyInstance, options: CorrectionRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { modelLoader, predictions, requesters } = options;
  const { answers, corrections } = predictions;
  const config = { access: 'signedIn' } as const;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'private, no-store'));

  /** @throws HttpProblem REQUEST_INVALID when it is the same bird, or one that the model does not know */
  async function findOther(
    bird: NewCorrection['bird'],
    scientificName: string,
    language: string,
  ): Promise<NewCorrection['correctedTo']> {
    const commonName = (await (await modelLoader.get()).namesIn(language)).get(scientificName);
    if (commonName === undefined || scientificName === bird.scientificName) {
      throw invalidFields([{ field: 'correctedTo', message: 'must be the scientific name of another bird the model knows' }]);
    }
    return { scientificName, commonName };
  }

  app.get(
    '/v1/predictions/:id/corrections',
    {
      config,
      schema: {
        summary: 'List the corrections of a prediction',
        params: predictionParamsSchema,
        response: { 200: correctionsSchema },
      },
    },
    async (request) => {
      const { id } = await findAnswer(predictions, requesters.require(request), request.params.id);
      return { corrections: [...(await corrections.of(id))] };
    },
  );

  app.put(
    '/v1/predictions/:id/corrections/:scientificName',
    {
      config,
      schema: {
        summary: 'Confirm, reject or correct a bird of a prediction',
        description: 'The latest correction of a bird counts. The prediction itself does not change.',
        params: correctionParamsSchema,
        body: correctionBodySchema,
        response: { 200: correctionsSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const { id, scientificName } = request.params;
      const row = await findAnswer(predictions, accountId, id);
      const { prediction, mentioned } = await answers.headOf(row);
      const bird = mentioned.find((one) => one.scientificName === scientificName);
      if (bird === undefined) throw new HttpProblem('SPECIES_NOT_MENTIONED', { scientificName });
      const { body } = request;
      const correctedTo =
        body.kind === 'corrected' ? await findOther(bird, body.correctedTo, prediction.conditions.language) : null;
      return existing(await corrections.put(accountId, row.id, { bird, kind: body.kind, correctedTo }));
    },
  );

  app.delete(
    '/v1/predictions/:id/corrections/:scientificName',
    {
      config,
      schema: {
        summary: 'Undo the correction of a bird',
        description: 'Succeeds even if the bird has no correction.',
        params: correctionParamsSchema,
        response: { 200: correctionsSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const { id } = await findAnswer(predictions, accountId, request.params.id);
      return existing(await corrections.remove(accountId, id, request.params.scientificName));
    },
  );
}

/** @throws HttpProblem NOT_FOUND when the prediction has been deleted */
function existing(corrections: readonly Correction[] | null): { corrections: Correction[] } {
  if (corrections === null) throw new HttpProblem('NOT_FOUND', {});
  return { corrections: [...corrections] };
}
