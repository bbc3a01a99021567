/** Account methods for operators, as in Google's admin API, which require the operators' secret; `identity-routes.ts` registers them. */
import {
  type ChangeAccountBody,
  type CreateAccountBody,
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
import { changeCredentials, readProfileChange } from '../accounts/account-changes.ts';
import { disableAccount } from '../accounts/account-ending.ts';
import { accountInfoOf } from '../accounts/account-info.ts';
import { checkNewPassword, readCustomClaims, readDisplayName, readEmail, readPhotoUrl } from '../accounts/account-rules.ts';
import {
  type Account,
  type AccountChange,
  changeAccount,
  findAccount,
  findAccountByEmail,
  insertAccount,
  listAccounts,
  newAccount,
} from '../accounts/account-store.ts';
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

export function serveOperatorMethods(app: MethodScope, parts: AccountParts): void {
  const { query } = parts.database;

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
      const { id: localId, email } = await create(parts, body);
      return { kind: 'identitytoolkit#SignupNewUserResponse' as const, localId, email };
    },
  );

  const finding = 'Find accounts by id or address';
  app.post(
    `${ACCOUNTS}::lookup`,
    { schema: { summary: finding, params, body: findAccountsBodySchema, response: { 200: lookupAnswerSchema } } },
    async ({ body: { localId: ids = [], email: emails = [] } }) => {
      const byId = await Promise.all(ids.map((id) => findAccount(query, id)));
      const byEmail = await Promise.all(emails.map((email) => findAccountByEmail(query, email.toLowerCase())));
      const found = [...byId, ...byEmail].filter((account) => account !== null);
      const users = [...new Map(found.map((account) => [account.id, describeAccount(account)])).values()];
      return { kind: 'identitytoolkit#GetAccountInfoResponse' as const, ...(users.length === 0 ? {} : { users }) };
    },
  );

  const changing = 'Change, disable or enable an account, or end its sessions (validSince)';
  app.post(
    `${ACCOUNTS}::update`,
    { schema: { summary: changing, params, body: changeAccountBodySchema, response: { 200: changeAccountAnswerSchema } } },
    async ({ body }) => {
      const { id: localId } = await change(parts, body);
      return { kind: 'identitytoolkit#SetAccountInfoResponse' as const, localId };
    },
  );

  const deleting = 'Delete an account and everything that is kept about it';
  app.post(
    `${ACCOUNTS}::delete`,
    { schema: { summary: deleting, params, body: removeAccountBodySchema, response: { 200: deleteAnswerSchema } } },
    async ({ body: { localId } }) => {
      if (!localId) throw new IdentityError('MISSING_LOCAL_ID');
      await parts.deletion.delete(localId);
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
      const page = await listAccounts(query, nextPageToken, maxResults);
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

async function create({ database, passwords }: AccountParts, request: CreateAccountBody): Promise<Account> {
  const { localId, email, password, displayName = '', photoUrl = '', emailVerified = false, disabled = false } = request;
  if (!email) throw new IdentityError('MISSING_EMAIL');
  if (!password) throw new IdentityError('MISSING_PASSWORD');
  if (localId !== undefined && !/^[A-Za-z0-9_-]{1,128}$/.test(localId)) throw new IdentityError('INVALID_LOCAL_ID');
  checkNewPassword(password);
  const given = { id: localId, email: readEmail(email), displayName: readDisplayName(displayName), nowMs: Date.now() };
  const other = { photoUrl: readPhotoUrl(photoUrl), emailVerified, disabled };
  const account = { ...newAccount({ ...given, passwordHash: await passwords.hash(password) }), ...other };
  if (await database.change({}, (query) => insertAccount(query, account))) return account;
  throw new IdentityError((await findAccount(database.query, account.id)) === null ? 'EMAIL_EXISTS' : 'DUPLICATE_LOCAL_ID');
}

async function change(parts: AccountParts, request: ChangeAccountBody): Promise<Account> {
  const { database, passwords, sessions, ending } = parts;
  const { localId, email, password, emailVerified, disableUser, customAttributes, validSince } = request;
  if (!localId) throw new IdentityError('MISSING_LOCAL_ID');
  if (password !== undefined) checkNewPassword(password);
  const wanted: AccountChange = {
    ...readProfileChange(request),
    ...(email === undefined ? {} : { email: readEmail(email), emailVerified: emailVerified ?? false }),
    ...(emailVerified === undefined ? {} : { emailVerified }),
    ...(disableUser === undefined ? {} : { disabled: disableUser }),
    ...(customAttributes === undefined ? {} : { customAttributes: readCustomClaims(customAttributes) }),
    ...(password === undefined ? {} : { passwordHash: await passwords.hash(password), passwordUpdatedAtMs: Date.now() }),
  };
  const account = await database.change({}, async (query) => {
    const reason = password === undefined ? 'emailChanged' : 'passwordChanged';
    const isGuarded = password !== undefined || email !== undefined;
    const changed = isGuarded
      ? await changeCredentials(query, parts, localId, wanted, reason)
      : await changeAccount(query, localId, wanted);
    if (changed === null) throw new IdentityError('USER_NOT_FOUND');
    if (disableUser) await disableAccount(database, query, localId, Date.now());
    if (validSince === undefined) return changed;
    await sessions.end(query, localId, 'revoked');
    return (await changeAccount(query, localId, { validSinceSeconds: readSeconds(validSince) })) ?? changed;
  });
  if (disableUser) await ending.follow(localId);
  return account;
}

function readSeconds(text: string | number): number {
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new IdentityError('INVALID_REQ_TYPE', 'validSince must be a whole number of seconds');
  return seconds;
}
