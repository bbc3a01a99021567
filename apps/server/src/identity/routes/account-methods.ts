import {
  createAuthUriAnswerSchema,
  createAuthUriBodySchema,
  deleteAnswerSchema,
  deleteBodySchema,
  lookupAnswerSchema,
  lookupBodySchema,
  signInAnswerSchema,
  signInBodySchema,
  signUpAnswerSchema,
  signUpBodySchema,
  type UpdateAnswer,
  updateAnswerSchema,
  updateBodySchema,
} from '@chiffchaff/contract';
import { accountInfoOf, profileOf, providersOf } from '../accounts/account-info.ts';
import { readEmail } from '../accounts/account-rules.ts';
import { type Account, findAccountByEmail } from '../accounts/account-store.ts';
import { IdentityError } from '../identity-error.ts';
import type { EmbeddedIdentity } from '../open-embedded-identity.ts';
import { createSecret } from '../secret-token.ts';
import { clientOf, type MethodScope } from './method-routes.ts';

/** `accounts:` sign-up, sign-in, lookup, update, delete, createAuthUri. */
export function serveAccountMethods(app: MethodScope, identity: EmbeddedIdentity): void {
  const { database } = identity;
  const { signIn, access, changes, codeRedemption, options } = identity.methods;

  app.post(
    '/v1/accounts::signUp',
    { schema: { summary: 'Create an account', body: signUpBodySchema, response: { 200: signUpAnswerSchema } } },
    async (request) => {
      const { account, tokens } = await signIn.signUp(request.body, clientOf(request));
      const { id: localId, email, displayName } = account;
      const name = displayName === null ? {} : { displayName };
      return { kind: 'identitytoolkit#SignupNewUserResponse' as const, localId, email, ...name, ...tokens };
    },
  );

  app.post(
    '/v1/accounts::signInWithPassword',
    { schema: { summary: 'Sign in', body: signInBodySchema, response: { 200: signInAnswerSchema } } },
    async (request) => {
      const { account, tokens } = await signIn.signIn(request.body, clientOf(request));
      const { id: localId, email, displayName } = account;
      const kind = 'identitytoolkit#VerifyPasswordResponse' as const;
      return { kind, localId, email, displayName: displayName ?? '', registered: true as const, ...tokens };
    },
  );

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
      if (given.oobCode) return answerUpdate(await codeRedemption.apply(given.oobCode, clientOf(request)));
      if (!given.idToken) throw new IdentityError('INVALID_REQ_TYPE', 'Unsupported request parameters.');
      const { account, newEmail, tokens } = await changes.update(given, clientOf(request));
      return { ...answerUpdate(account), ...(newEmail === null ? {} : { newEmail }), ...tokens };
    },
  );

  app.post(
    '/v1/accounts::delete',
    { schema: { summary: 'Delete the account of an ID token', body: deleteBodySchema, response: { 200: deleteAnswerSchema } } },
    async ({ body }) => {
      if (body.localId) throw new IdentityError('INSUFFICIENT_PERMISSION');
      await changes.delete(body.idToken);
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
      if (options.enumerationProtection) return answer;
      const methods = (await findAccountByEmail(database.query, email)) === null ? [] : ['password'];
      return { ...answer, registered: methods.length > 0, allProviders: methods, signinMethods: methods };
    },
  );
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
