/** The methods with which clients read, change and delete the account of an ID token; `identity-routes.ts` registers them. */
import {
  createAuthUriAnswerSchema,
  createAuthUriBodySchema,
  deleteAnswerSchema,
  deleteBodySchema,
  lookupAnswerSchema,
  lookupBodySchema,
  type UpdateAnswer,
  type UpdateBody,
  updateAnswerSchema,
  updateBodySchema,
} from '@chiffchaff/contract';
import { changeCredentials, readProfileChange } from '../accounts/account-changes.ts';
import { accountInfoOf, profileOf, providersOf } from '../accounts/account-info.ts';
import { checkNewPassword, readEmail, requireRecentSignIn } from '../accounts/account-rules.ts';
import { type Account, type AccountChange, changeAccount, findAccountByEmail } from '../accounts/account-store.ts';
import { announceChange } from '../codes/code-mails.ts';
import type { AccountParts, Client } from '../embedded-parts.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret } from '../secret-token.ts';
import { applyCode } from './code-methods.ts';
import type { MethodScope } from './method-routes.ts';
import { issueTokens } from './sign-in-methods.ts';

export function serveAccountMethods(app: MethodScope, parts: AccountParts): void {
  const { database, access, deletion, enumerationProtection } = parts;

  app.post(
    '/v1/accounts::lookup',
    {
      config: { signsOutOnJsonError: true },
      schema: { summary: 'Get the account of an ID token', body: lookupBodySchema, response: { 200: lookupAnswerSchema } },
    },
    async ({ body }) => {
      const { account } = await access.verify(body.idToken);
      return { kind: 'identitytoolkit#GetAccountInfoResponse' as const, users: [accountInfoOf(account)] };
    },
  );

  const updating = 'Change the profile, password or email address, or apply a code from an email';
  app.post(
    '/v1/accounts::update',
    { schema: { summary: updating, body: updateBodySchema, response: { 200: updateAnswerSchema } } },
    async (request) => {
      const { localId, emailVerified, disableUser, customAttributes, validSince, ...given } = request.body;
      if ([localId, emailVerified, disableUser, customAttributes, validSince].some((value) => value !== undefined)) {
        throw new IdentityError('INSUFFICIENT_PERMISSION');
      }
      if (given.oobCode) return answerUpdate(await applyCode(parts, given.oobCode, request));
      if (!given.idToken) throw new IdentityError('INVALID_REQ_TYPE', 'Unsupported request parameters.');
      return update(parts, given, request);
    },
  );

  app.post(
    '/v1/accounts::delete',
    { schema: { summary: 'Delete the account of an ID token', body: deleteBodySchema, response: { 200: deleteAnswerSchema } } },
    async ({ body }) => {
      if (body.localId) throw new IdentityError('INSUFFICIENT_PERMISSION');
      const { account, session } = await access.verify(body.idToken);
      requireRecentSignIn(session.authTimeSeconds, Date.now());
      await deletion.delete(account.id);
      return { kind: 'identitytoolkit#DeleteAccountResponse' as const };
    },
  );

  const waysIn = 'How to sign in with an address (given only without enumeration protection)';
  app.post(
    '/v1/accounts::createAuthUri',
    { schema: { summary: waysIn, body: createAuthUriBodySchema, response: { 200: createAuthUriAnswerSchema } } },
    async ({ body: { identifier, continueUri } }) => {
      if (!identifier) throw new IdentityError('MISSING_IDENTIFIER');
      if (!continueUri) throw new IdentityError('MISSING_CONTINUE_URI');
      const email = readEmail(identifier, 'INVALID_IDENTIFIER');
      const answer = { kind: 'identitytoolkit#CreateAuthUriResponse', sessionId: createSecret() } as const;
      if (enumerationProtection) return answer;
      const methods = (await findAccountByEmail(database.query, email)) === null ? [] : ['password'];
      return { ...answer, registered: methods.length > 0, allProviders: methods, signinMethods: methods };
    },
  );
}

async function update(parts: AccountParts, body: UpdateBody, client: Client): Promise<UpdateAnswer> {
  const { database, sessions } = parts;
  const { account, session } = await parts.access.verify(body.idToken);
  const profile = readProfileChange(body);
  const email = body.email === undefined ? account.email : readEmail(body.email);
  const isNewEmail = email !== account.email;
  if (isNewEmail && parts.enumerationProtection) {
    throw new IdentityError('OPERATION_NOT_ALLOWED', 'Please verify the new email before changing email.');
  }
  const { password } = body;
  if (password !== undefined) checkNewPassword(password);
  if (!isNewEmail && password === undefined) {
    const changed = await database.change({}, (query) => changeAccount(query, account.id, profile));
    if (changed === null) throw new IdentityError('USER_NOT_FOUND');
    return answerUpdate(changed);
  }
  requireRecentSignIn(session.authTimeSeconds, Date.now());
  const passwordHash = password === undefined ? null : await parts.passwords.hash(password);
  const change: AccountChange = {
    ...profile,
    ...(passwordHash === null ? {} : { passwordHash, passwordUpdatedAtMs: Date.now() }),
    ...(isNewEmail ? { email, emailVerified: false } : {}),
  };
  const opened = await database.change({}, async (query) => {
    if (!(await sessions.isOpen(query, session.id, account.id))) throw new IdentityError('TOKEN_EXPIRED');
    const reason = passwordHash === null ? 'emailChanged' : 'passwordChanged';
    const changed = await changeCredentials(query, parts, account.id, change, reason);
    const announce = isNewEmail ? await announceChange(parts, query, changed, account.email, client) : null;
    return { changed, announce, ...(await sessions.open(query, account.id, client.headers['user-agent'])) };
  });
  opened.announce?.();
  const tokens = await issueTokens(parts, opened.changed, opened.session, opened.refreshToken);
  return { ...answerUpdate(opened.changed), ...(isNewEmail ? { newEmail: email } : {}), ...tokens };
}

/** Always the whole profile: the SDK treats an absent field as removed. */
function answerUpdate(account: Account): UpdateAnswer {
  return {
    kind: 'identitytoolkit#SetAccountInfoResponse',
    localId: account.id,
    email: account.email,
    emailVerified: account.emailVerified,
    ...profileOf(account),
    providerUserInfo: providersOf(account),
  };
}
