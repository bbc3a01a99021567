import { createdLinkSchema, linksSchema, newLinkBodySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../../http/access.ts';
import { existing, HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { findAnswer } from '../stored/find-answer.ts';
import { predictionParamsSchema } from '../stored/stored-routes.ts';
import type { LinkStore } from './link-store.ts';

const linkParamsSchema = z.object({ id: z.string().min(1).max(100) });

/** Links to results, for the accounts that created them. */
export const linkRoutes: FastifyPluginAsyncZod<OwnersRoutesOptions & { readonly links: LinkStore }> = async (app, options) => {
  const { links, predictions, requesters } = options;

  app.post(
    '/v1/predictions/:id/links',
    routeFor('signedIn', {
      summary: 'Create a public link to a prediction',
      description:
        'The token is returned once; only a hash of it is stored. With `sound`, a few seconds around each bird can be heard for as long as they are kept.',
      params: predictionParamsSchema,
      body: newLinkBodySchema,
      response: { 200: createdLinkSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const row = await findAnswer(predictions, accountId, request.params.id);
      const { sound } = request.body;
      if (sound && !(await predictions.keptAudioOf(accountId, [row.id])).has(row.id)) {
        throw invalidFields([{ field: 'sound', message: 'must be false: no audio of this recording is kept' }]);
      }
      const { id, token } = await links.add(accountId, { predictionId: row.id, sound });
      const link = existing((await links.ofAccount(accountId)).find((one) => one.id === id));
      return { link, token };
    },
  );

  app.get(
    '/v1/account/links',
    routeFor('signedIn', { summary: 'List your public links, newest first', response: { 200: linksSchema } }),
    async (request) => ({ links: await links.ofAccount(requesters.require(request)) }),
  );

  app.delete(
    '/v1/account/links/:id',
    routeFor('signedIn', {
      summary: 'Revoke a public link for good',
      params: linkParamsSchema,
      response: { 200: linksSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      if (!(await links.revoke(accountId, request.params.id))) throw new HttpProblem('NOT_FOUND', {});
      return { links: await links.ofAccount(accountId) };
    },
  );
};
