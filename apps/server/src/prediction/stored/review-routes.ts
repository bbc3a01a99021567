import {
  type BirdVerdict,
  birdReviewBodySchema,
  birdReviewHistorySchema,
  birdReviewParamsSchema,
  birdReviewsSchema,
} from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../../http/access.ts';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { findAnswer } from './find-answer.ts';
import { predictionParamsSchema } from './stored-routes.ts';

/** Reviews of the birds in an account's predictions. */
export const reviewRoutes: FastifyPluginAsyncZod<OwnersRoutesOptions> = async (app, options) => {
  const { modelLoader, predictions, requesters } = options;
  const { answers, reviews } = predictions;

  /** @throws HttpProblem REQUEST_INVALID when the model does not know the species */
  async function findSpecies(field: string, scientificName: string, language: string) {
    const commonName = (await (await modelLoader.get()).namesIn(language)).get(scientificName);
    if (commonName === undefined) throw unknownSpecies(field);
    return { scientificName, commonName };
  }

  app.get(
    '/v1/predictions/:id/reviews',
    routeFor('signedIn', {
      summary: 'List the reviews of a prediction',
      description: '`reviews` has the latest review of each bird, `history` the latest 200 in order, with withdrawals.',
      params: predictionParamsSchema,
      response: { 200: birdReviewHistorySchema },
    }),
    async (request) => {
      const { id } = await findAnswer(predictions, requesters.require(request), request.params.id);
      return { reviews: await reviews.of(id), history: await reviews.historyOf(id) };
    },
  );

  app.put(
    '/v1/predictions/:id/reviews/:scientificName',
    routeFor('signedIn', {
      summary: 'Confirm, reject, correct or add a bird of a prediction',
      description:
        'The latest review of a bird counts. The prediction itself does not change. A bird that it mentions and that is added counts as confirmed. `bulk` marks a bird confirmed together with others: it changes no other review, and nothing may learn from it.',
      params: birdReviewParamsSchema,
      body: birdReviewBodySchema,
      response: { 200: birdReviewsSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const { params, body } = request;
      const { scientificName } = params;
      const row = await findAnswer(predictions, accountId, params.id);
      const { prediction, mentioned } = await answers.headOf(row);
      const { language } = prediction.conditions;
      const inAnswer = mentioned.find((one) => one.scientificName === scientificName);
      const latest = await reviews.latest(row.id, scientificName);
      let bird = inAnswer ?? latest;
      if (bird === undefined) {
        if (body.verdict !== 'added') throw new HttpProblem('SPECIES_NOT_MENTIONED', { scientificName });
        bird = { ...(await findSpecies('scientificName', scientificName, language)), confidence: 0 };
      }
      if (body.verdict === 'corrected' && body.to === scientificName) throw unknownSpecies('to');
      const to = body.verdict === 'corrected' ? await findSpecies('to', body.to, language) : null;
      const verdict = verdictOn(body.verdict, inAnswer !== undefined, latest?.verdict);
      const isBulk = body.verdict === 'confirmed' && (body.bulk ?? false);
      return { reviews: await reviews.put(accountId, row.id, { bird, verdict, to, isBulk }) };
    },
  );

  app.delete(
    '/v1/predictions/:id/reviews/:scientificName',
    routeFor('signedIn', {
      summary: 'Withdraw the review of a bird',
      description: 'Succeeds even if the bird has no review.',
      params: birdReviewParamsSchema,
      response: { 200: birdReviewsSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const { id } = await findAnswer(predictions, accountId, request.params.id);
      return { reviews: await reviews.withdraw(accountId, id, request.params.scientificName) };
    },
  );
};

const unknownSpecies = (field: string): HttpProblem<'REQUEST_INVALID'> =>
  invalidFields([{ field, message: `must be the scientific name of ${field === 'to' ? 'another' : 'a'} bird the model knows` }]);

/** Adding a bird that the answer mentions confirms it, and confirming one that was added changes nothing. */
function verdictOn(said: BirdVerdict, isMentioned: boolean, latest: BirdVerdict | undefined): BirdVerdict {
  if (said === 'added' && isMentioned && latest !== 'added') return 'confirmed';
  return said === 'confirmed' && !isMentioned && latest === 'added' ? 'added' : said;
}
