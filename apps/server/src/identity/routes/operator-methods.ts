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
import { z } from 'zod';
import { accountInfoOf } from '../accounts/account-info.ts';
import type { Account } from '../accounts/account-store.ts';
import { createOperatorActions } from '../accounts/operator-actions.ts';
import { makeLink, sendCode } from '../codes/code-mails.ts';
import type { AccountParts } from '../embedded-parts.ts';
import { IdentityError } from '../identity-error.ts';
import { RequestRefusal, refusals } from './error-envelope.ts';
import type { MethodScope } from './method-routes.ts';

const params = z.object({ project: z.string() });
const ACCOUNTS = '/v1/projects/:project/accounts';

const describeAccount = (account: Account) => ({
  ...accountInfoOf(account),
  ...(account.customAttributes === null ? {} : { customAttributes: account.customAttributes }),
});

/** Account methods for operators, as in Google's admin API. */
export function serveOperatorMethods(app: MethodScope, parts: AccountParts): void {
  const operators = createOperatorActions(parts);
  app.addHook('preHandler', async (request) => {
    if (params.parse(request.params).project !== parts.projectId) throw new RequestRefusal(refusals.notFound);
  });

  app.post(
    ACCOUNTS,
    {
      schema: {
        summary: 'Create an account for another person',
        params,
        body: createAccountBodySchema,
        response: { 200: createAccountAnswerSchema },
      },
    },
    async ({ body }) => {
      const { id: localId, email } = await operators.create(body);
      return { kind: 'identitytoolkit#SignupNewUserResponse' as const, localId, email };
    },
  );

  const finding = 'Find accounts by id or address';
  app.post(
    `${ACCOUNTS}::lookup`,
    { schema: { summary: finding, params, body: findAccountsBodySchema, response: { 200: lookupAnswerSchema } } },
    async ({ body }) => {
      const found = await operators.find(body.localId ?? [], body.email ?? []);
      const users = found.length === 0 ? {} : { users: found.map(describeAccount) };
      return { kind: 'identitytoolkit#GetAccountInfoResponse' as const, ...users };
    },
  );

  const changing = 'Change, disable or enable an account, or end its sessions (validSince)';
  app.post(
    `${ACCOUNTS}::update`,
    { schema: { summary: changing, params, body: changeAccountBodySchema, response: { 200: changeAccountAnswerSchema } } },
    async ({ body }) => {
      const { id: localId } = await operators.change(body);
      return { kind: 'identitytoolkit#SetAccountInfoResponse' as const, localId };
    },
  );

  const deleting = 'Delete an account and everything that is kept about it';
  app.post(
    `${ACCOUNTS}::delete`,
    { schema: { summary: deleting, params, body: removeAccountBodySchema, response: { 200: deleteAnswerSchema } } },
    async ({ body }) => {
      await operators.delete(body.localId);
      return { kind: 'identitytoolkit#DeleteAccountResponse' as const };
    },
  );

  app.get(
    `${ACCOUNTS}::batchGet`,
    {
      schema: {
        summary: 'List accounts, page by page',
        params,
        querystring: listAccountsQuerySchema,
        response: { 200: listAccountsAnswerSchema },
      },
    },
    async ({ query: { maxResults, nextPageToken = '' } }) => {
      const page = await operators.list(nextPageToken, maxResults);
      const last = page.length === maxResults ? page.at(-1) : undefined;
      return {
        kind: 'identitytoolkit#DownloadAccountResponse' as const,
        ...(page.length === 0 ? {} : { users: page.map(describeAccount) }),
        ...(last === undefined ? {} : { nextPageToken: last.id }),
      };
    },
  );

  const sending = 'Send an email with a code, or get the link to pass on yourself (returnOobLink)';
  app.post(
    `${ACCOUNTS}::sendOobCode`,
    { schema: { summary: sending, params, body: sendOobCodeBodySchema, response: { 200: sendOobCodeAnswerSchema } } },
    async (request) => {
      const { body } = request;
      const kind = 'identitytoolkit#GetOobConfirmationCodeResponse' as const;
      if (!body.returnOobLink) {
        if (body.requestType !== 'PASSWORD_RESET')
          throw new IdentityError('INVALID_REQ_TYPE', 'Request the link (returnOobLink).');
        return { kind, email: await sendCode(parts, body, request) };
      }
      const { email, oobCode, link } = await makeLink(parts, body, request);
      return { kind, email, oobCode, oobLink: link };
    },
  );
}
