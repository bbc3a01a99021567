import { predictionSchema, reconsiderationBodySchema, reconsiderationQuerySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../../http/access.ts';
import { sendJsonText } from '../../http/send-json-text.ts';
import { changeFields, toReconsideration } from '../analysis-request.ts';
import { checkLanguage } from '../language.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { findAnswer } from './find-answer.ts';
import { predictionParamsSchema } from './stored-routes.ts';

/** Other conditions for an account's predictions: place, date, threshold and language. */
export const conditionsRoutes: FastifyPluginAsyncZod<OwnersRoutesOptions> = async (app, options) => {
  const { modelLoader, predictions, requesters } = options;
  const { answers, conditions, reviews } = predictions;

  app.post(
    '/v1/predictions/:id/conditions',
    routeFor('signedIn', {
      summary: 'Change the place, date, threshold or language of a prediction',
      description:
        'Computed from the stored evidence, without the audio, and stored: the new prediction is used everywhere. An absent value stays as it is, null removes it. With `preview=true`, nothing is stored.',
      params: predictionParamsSchema,
      querystring: reconsiderationQuerySchema,
      body: reconsiderationBodySchema,
      response: { 200: predictionSchema },
    }),
    async (request, reply) => {
      const accountId = requesters.require(request);
      const row = await findAnswer(predictions, accountId, request.params.id);
      const { languages } = await modelLoader.get();
      const { language } = request.body;
      if (typeof language === 'string') checkLanguage(language, languages);
      const fields = changeFields(row.fields, request.body);
      const answer = await answers.reconsider(row, toReconsideration(fields));
      if (request.query.preview !== 'true') await conditions.replace(accountId, row.id, answer, fields);
      const said = await reviews.of(row.id);
      if (said.length === 0) return sendJsonText(reply, answer.json);
      return sendJsonText(reply, answer.json.subarray(0, -1), `,"reviews":${JSON.stringify(said)}}`);
    },
  );

  app.delete(
    '/v1/predictions/:id/conditions',
    routeFor('signedIn', {
      summary: 'Return to the first conditions of a prediction',
      description: 'Succeeds even if the conditions were never changed.',
      params: predictionParamsSchema,
      response: { 200: predictionSchema },
    }),
    async (request, reply) => {
      const accountId = requesters.require(request);
      const { id } = await findAnswer(predictions, accountId, request.params.id);
      await conditions.restoreFirst(accountId, id);
      return sendJsonText(reply, await answers.jsonOf(await findAnswer(predictions, accountId, id)));
    },
  );
};
