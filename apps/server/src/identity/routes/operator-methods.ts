import {
  changeAccountAnswerSchema,
  changeAccountBodySchema,
  createAccountAnswerSchema,
  createAccountBodySchema,
  deleteAnswerSchema,
  findAccountsBodySchema,
  listAccountsAnswerSchema,
  listAccountsQuerySchema,
  lookupAnswerSchema,
  removeAccountBodySchema,
  sendOobCodeAnswerSchema,
  sendOobCodeBodySchema,
} from '@chiffchaff/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { accountInfoOf } from '../accounts/account-info.ts';
import type { Account } from '../accounts/account-store.ts';
import type { EmbeddedIdentity } from '../create-identity.ts';
import { IdentityError } from '../identity-error.ts';
import { RequestRefusal, refusals } from './error-envelope.ts';
import { clientOf, IDENTITY_PREFIX, localeOf, type ServeMethod, withoutNulls } from './method-routes.ts';

const paramsSchema = z.object({ project: z.string() });
const common = { prefix: IDENTITY_PREFIX, verb: 'POST', tag: 'Operators', params: paramsSchema } as const;
const ACCOUNTS = '/v1/projects/{project}/accounts';

const describeAccount = (account: Account) => ({
  ...accountInfoOf(account),
  ...(account.customAttributes === null ? {} : { customAttributes: account.customAttributes }),
});

/** What operators may ask about accounts and do to them, as Google's admin calls have it. */
export function serveOperatorMethods(serve: ServeMethod, { operators, codeMails, options }: EmbeddedIdentity): void {
  function requireProject({ params }: FastifyRequest): void {
    if (paramsSchema.parse(params).project !== options.projectId) throw new RequestRefusal(refusals.notFound);
  }

  serve({
    ...common,
    path: ACCOUNTS,
    summary: 'Create an account for somebody',
    body: createAccountBodySchema,
    answer: createAccountAnswerSchema,
    handle: async (body, request) => {
      requireProject(request);
      const { id: localId, email } = await operators.create(withoutNulls(body));
      return { kind: 'identitytoolkit#SignupNewUserResponse', localId, email };
    },
  });

  serve({
    ...common,
    path: `${ACCOUNTS}:lookup`,
    summary: 'Find accounts by id or address',
    body: findAccountsBodySchema,
    answer: lookupAnswerSchema,
    handle: async ({ localId, email }, request) => {
      requireProject(request);
      const found = await operators.find(localId ?? [], email ?? []);
      return {
        kind: 'identitytoolkit#GetAccountInfoResponse',
        ...(found.length === 0 ? {} : { users: found.map(describeAccount) }),
      };
    },
  });

  serve({
    ...common,
    path: `${ACCOUNTS}:update`,
    summary: 'Change, disable or enable an account, or end its sessions (validSince)',
    body: changeAccountBodySchema,
    answer: changeAccountAnswerSchema,
    handle: async (body, request) => {
      requireProject(request);
      const { id } = await operators.change(withoutNulls(body));
      return { kind: 'identitytoolkit#SetAccountInfoResponse', localId: id };
    },
  });

  serve({
    ...common,
    path: `${ACCOUNTS}:delete`,
    summary: 'Delete an account and everything that is kept about it',
    body: removeAccountBodySchema,
    answer: deleteAnswerSchema,
    handle: async ({ localId }, request) => {
      requireProject(request);
      await operators.delete(localId ?? undefined);
      return { kind: 'identitytoolkit#DeleteAccountResponse' };
    },
  });

  serve({
    ...common,
    verb: 'GET',
    path: `${ACCOUNTS}:batchGet`,
    summary: 'List accounts, page by page',
    querystring: listAccountsQuerySchema,
    answer: listAccountsAnswerSchema,
    handle: async (_body, request) => {
      requireProject(request);
      const { maxResults, nextPageToken = '' } = listAccountsQuerySchema.parse(request.query);
      const page = await operators.list(nextPageToken, maxResults);
      const last = page.length === maxResults ? page.at(-1) : undefined;
      return {
        kind: 'identitytoolkit#DownloadAccountResponse',
        ...(page.length === 0 ? {} : { users: page.map(describeAccount) }),
        ...(last === undefined ? {} : { nextPageToken: last.id }),
      };
    },
  });

  serve({
    ...common,
    path: `${ACCOUNTS}:sendOobCode`,
    summary: 'Send a mail with a code, or get its link to hand over in person (returnOobLink)',
    body: sendOobCodeBodySchema,
    answer: sendOobCodeAnswerSchema,
    handle: async (body, request) => {
      requireProject(request);
      const { returnOobLink, ...given } = withoutNulls(body);
      const asked = { ...given, locale: localeOf(request) };
      const kind = 'identitytoolkit#GetOobConfirmationCodeResponse';
      if (!returnOobLink) {
        if (given.requestType !== 'PASSWORD_RESET')
          throw new IdentityError('INVALID_REQ_TYPE', 'Ask for the link (returnOobLink).');
        return { kind, email: await codeMails.send(asked, clientOf(request)) };
      }
      const { email, oobCode, link } = await codeMails.makeLink(asked);
      return { kind, email, oobCode, oobLink: link };
    },
  });
}
