import { apiTokenRevokedSchema, apiTokensSchema, createdApiTokenSchema, newApiTokenBodySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../../http/access.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { requireRecentSignIn } from '../accounts/account-rules.ts';
import type { Identity } from '../open-embedded-identity.ts';
import { asProblems } from '../routes/account-routes.ts';

/** `/v1/account/tokens`: the API tokens of an account. None of these routes accepts an API token. */
export const apiTokenRoutes: FastifyPluginAsyncZod<{ readonly identity: Identity }> = async (app, { identity }) => {
  const { apiTokens } = identity;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));

  app.get(
    '/v1/account/tokens',
    routeFor('signedIn', { summary: 'List the API tokens of the account, newest first', response: { 200: apiTokensSchema } }),
    async (request) => ({ tokens: await apiTokens.list(identity.requirePrincipal(request).accountId) }),
  );

  app.post(
    '/v1/account/tokens',
    routeFor('signedIn', {
      summary: 'Create an API token',
      description:
        'Needs a sign-in from the last five minutes. `secret` is the token; it is not shown again. If an external service manages the accounts, `expiresInDays` is required and at most 90.',
      body: newApiTokenBodySchema,
      response: { 200: createdApiTokenSchema },
    }),
    async (request) => {
      const principal = identity.requirePrincipal(request);
      await asProblems(async () => requireRecentSignIn(principal.authTimeSeconds, Date.now()));
      return apiTokens.create(principal, request.body);
    },
  );

  app.delete(
    '/v1/account/tokens/:id',
    routeFor('signedIn', {
      summary: 'Revoke an API token',
      params: z.object({ id: z.string().max(64) }),
      response: { 200: apiTokenRevokedSchema },
    }),
    async (request) => {
      const { accountId } = identity.requirePrincipal(request);
      if (!(await apiTokens.revoke(accountId, request.params.id))) throw new HttpProblem('NOT_FOUND', {});
      return { revoked: true } as const;
    },
  );
};
