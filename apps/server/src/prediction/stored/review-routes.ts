import { type BirdReview, birdReviewBodySchema, birdReviewParamsSchema, birdReviewsSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { ModelLoader } from '../model-loader.ts';
import type { Predictions } from '../predictions.ts';
import type { Requesters } from '../requester.ts';
import { findAnswer } from './find-answer.ts';
import type { NewReview } from './review-store.ts';
import { predictionParamsSchema } from './stored-routes.ts';

export interface ReviewRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

/** Reviews of the birds in an account's predictions. */
export async function reviewRoutes(scope: FastifyInstance, options: ReviewRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { modelLoader, predictions, requesters } = options;
  const { answers, reviews } = predictions;
  const config = { access: 'signedIn' } as const;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'private, no-store'));

  /** @throws HttpProblem REQUEST_INVALID when it is the same bird, or one that the model does not know */
  async function findOther(bird: NewReview['bird'], scientificName: string, language: string): Promise<NewReview['to']> {
    const commonName = (await (await modelLoader.get()).namesIn(language)).get(scientificName);
    if (commonName === undefined || scientificName === bird.scientificName) {
      throw invalidFields([{ field: 'to', message: 'must be the scientific name of another bird the model knows' }]);
    }
    return { scientificName, commonName };
  }

  app.get(
    '/v1/predictions/:id/reviews',
    {
      config,
      schema: {
        summary: 'List the reviews of a prediction',
        params: predictionParamsSchema,
        response: { 200: birdReviewsSchema },
      },
    },
    async (request) => {
      const { id } = await findAnswer(predictions, requesters.require(request), request.params.id);
      return { reviews: [...(await reviews.of(id))] };
    },
  );

  app.put(
    '/v1/predictions/:id/reviews/:scientificName',
    {
      config,
      schema: {
        summary: 'Confirm, reject or correct a bird of a prediction',
        description: 'The latest review of a bird counts. The prediction itself does not change.',
        params: birdReviewParamsSchema,
        body: birdReviewBodySchema,
        response: { 200: birdReviewsSchema },
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
      const to = body.verdict === 'corrected' ? await findOther(bird, body.to, prediction.conditions.language) : null;
      return existing(await reviews.put(accountId, row.id, { bird, verdict: body.verdict, to }));
    },
  );

  app.delete(
    '/v1/predictions/:id/reviews/:scientificName',
    {
      config,
      schema: {
        summary: 'Undo the review of a bird',
        description: 'Succeeds even if the bird has no review.',
        params: birdReviewParamsSchema,
        response: { 200: birdReviewsSchema },
      },
    },
    async (request) => {
      const accountId = requesters.require(request);
      const { id } = await findAnswer(predictions, accountId, request.params.id);
      return existing(await reviews.remove(accountId, id, request.params.scientificName));
    },
  );
}

/** @throws HttpProblem NOT_FOUND when the prediction has been deleted */
function existing(reviews: readonly BirdReview[] | null): { reviews: BirdReview[] } {
  if (reviews === null) throw new HttpProblem('NOT_FOUND', {});
  return { reviews: [...reviews] };
}
