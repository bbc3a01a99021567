import { Readable } from 'node:stream';
import {
  acceptTermsBodySchema,
  accountExportSchema,
  apiTokenRevokedSchema,
  apiTokensSchema,
  createdApiTokenSchema,
  newApiTokenBodySchema,
  sessionsAnswerSchema,
  sessionsEndedAnswerSchema,
  termsAnswerSchema,
} from '@chiffchaff/contract';
import type { FastifyTypeProviderDefault } from 'fastify';
import { type FastifyPluginAsyncZod, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../../http/access.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import { exportAccount } from '../accounts/account-export.ts';
import { requireRecentSignIn } from '../accounts/account-rules.ts';
import { describeSession } from '../accounts/sessions.ts';
import { listAcceptances, recordAcceptance } from '../accounts/terms.ts';
import { isRefusal } from '../identity-error.ts';
import type { Identity } from '../open-embedded-identity.ts';

/**
 * `/v1/account`: what signed-in people can do beyond Identity Toolkit's methods. Works in every identity mode; the routes of sessions exist
 * only if this server manages them. None of these routes accepts an API token. Errors are problem details, written by the server's error
 * handler.
 */
export const accountRoutes: FastifyPluginAsyncZod<{
  readonly identity: Identity;
  readonly exports: ExportsUnderWay;
}> = async (app, { identity, exports }) => {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const { database, deletion, apiTokens } = identity;

  app.get(
    '/v1/account/terms',
    routeFor('signedIn', {
      summary: 'List the versions of the terms the account has accepted, newest first',
      response: { 200: termsAnswerSchema },
    }),
    async (request) => ({ accepted: await listAcceptances(database.query, identity.requirePrincipal(request).accountId) }),
  );

  app.post(
    '/v1/account/terms',
    routeFor('signedIn', {
      summary: 'Accept a version of the terms',
      body: acceptTermsBodySchema,
      response: { 200: termsAnswerSchema },
    }),
    async (request) => {
      const { accountId } = identity.requirePrincipal(request);
      await database.change({}, (query) => recordAcceptance(query, accountId, request.body.version, Date.now()));
      return { accepted: await listAcceptances(database.query, accountId) };
    },
  );

  // Untyped: the response is a stream, already JSON.
  app.withTypeProvider<FastifyTypeProviderDefault>().get(
    '/v1/account/export',
    routeFor('signedIn', {
      summary: 'Download everything stored about the account',
      description: 'An account can have one export in progress at a time.',
      response: { 200: accountExportSchema },
    }),
    async (request, reply) => {
      const principal = identity.requirePrincipal(request);
      const open = async () => Readable.from(await exportAccount(identity, principal), { objectMode: false });
      const everything = await exports.begin(principal.accountId, open);
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', 'attachment; filename="chiffchaff-account.json"')
        .send(everything);
    },
  );

  app.delete(
    '/v1/account',
    routeFor('signedIn', {
      summary: 'Delete the account and everything that is kept about it',
      description:
        'Needs a sign-in from the last five minutes. If an external service manages the accounts, everything on this server is deleted, but the account itself stays with that service.',
      response: { 200: z.object({ deleted: z.literal(true) }) },
    }),
    async (request) => {
      const principal = identity.requirePrincipal(request);
      await asProblems(async () => {
        requireRecentSignIn(principal.authTimeSeconds, Date.now());
        await deletion.delete(principal.accountId);
      });
      return { deleted: true } as const;
    },
  );

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

  const { sessions } = identity;
  if (sessions === null) return;

  app.get(
    '/v1/account/sessions',
    routeFor('signedIn', {
      summary: 'List the sessions of the account, most recently used first',
      response: { 200: sessionsAnswerSchema },
    }),
    async (request) => {
      const { accountId, sessionId } = identity.requirePrincipal(request);
      const open = await sessions.list(database.query, accountId);
      return { sessions: open.map((each) => ({ id: each.id, ...describeSession(each), current: each.id === sessionId })) };
    },
  );

  app.delete(
    '/v1/account/sessions',
    routeFor('signedIn', {
      summary: 'Sign out everywhere, or everywhere else',
      querystring: z.object({ except: z.literal('current').optional() }),
      response: { 200: sessionsEndedAnswerSchema },
    }),
    async (request) => {
      const { accountId, sessionId } = identity.requirePrincipal(request);
      const which = request.query.except === undefined || sessionId === null ? {} : { except: sessionId };
      return { ended: await database.change({ freesRoom: true }, (step) => sessions.end(step, accountId, 'signedOut', which)) };
    },
  );

  app.delete(
    '/v1/account/sessions/:id',
    routeFor('signedIn', {
      summary: 'Sign out one session',
      params: z.object({ id: z.string().max(64).describe('an id from the list, or `current`') }),
      response: { 200: sessionsEndedAnswerSchema },
    }),
    async (request) => {
      const { accountId, sessionId } = identity.requirePrincipal(request);
      const isCurrent = request.params.id === 'current';
      const only = isCurrent ? (sessionId ?? '') : request.params.id;
      const ended = await database.change({ freesRoom: true }, (step) => sessions.end(step, accountId, 'signedOut', { only }));
      // The current session may have ended meanwhile, with the account for example: the result is the requested one.
      if (ended === 0 && !isCurrent) throw new HttpProblem('NOT_FOUND', {});
      return { ended };
    },
  );
};

/**
 * Runs work that a sign-in may be too old for, and converts refusals to problems.
 *
 * @throws HttpProblem CREDENTIAL_TOO_OLD_LOGIN_AGAIN, SESSION_EXPIRED
 */
async function asProblems(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isRefusal(error, 'CREDENTIAL_TOO_OLD_LOGIN_AGAIN')) throw new HttpProblem('CREDENTIAL_TOO_OLD_LOGIN_AGAIN', {});
    // A concurrent request has deleted the account.
    if (isRefusal(error, 'USER_NOT_FOUND')) throw new HttpProblem('SESSION_EXPIRED', {});
    throw error;
  }
}
