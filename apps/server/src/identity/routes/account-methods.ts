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
import type { EmbeddedIdentity } from '../create-identity.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret } from '../secret-token.ts';
import { clientOf, IDENTITY_PREFIX, localeOf, type ServeMethod, withoutNulls } from './method-routes.ts';

const common = { prefix: IDENTITY_PREFIX, verb: 'POST', tag: 'Identity' } as const;

/** `accounts:` sign-up, sign-in, lookup, update, delete, createAuthUri. */
export function serveAccountMethods(serve: ServeMethod, identity: EmbeddedIdentity): void {
  const { signIn, access, changes, codeActions, database, options } = identity;

  serve({
    ...common,
    path: '/v1/accounts:signUp',
    summary: 'Create an account',
    body: signUpBodySchema,
    answer: signUpAnswerSchema,
    handle: async (body, request) => {
      const { account, tokens } = await signIn.signUp(withoutNulls(body), clientOf(request));
      return {
        kind: 'identitytoolkit#SignupNewUserResponse',
        localId: account.id,
        email: account.email,
        ...(account.displayName === null ? {} : { displayName: account.displayName }),
        ...tokens,
      };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:signInWithPassword',
    summary: 'Sign in',
    body: signInBodySchema,
    answer: signInAnswerSchema,
    handle: async (body, request) => {
      const { account, tokens } = await signIn.signIn(withoutNulls(body), clientOf(request));
      const { id: localId, email, displayName } = account;
      return {
        kind: 'identitytoolkit#VerifyPasswordResponse',
        localId,
        email,
        displayName: displayName ?? '',
        registered: true,
        ...tokens,
      };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:lookup',
    summary: 'Look at the account of an ID token',
    signsOutOnJsonError: true,
    body: lookupBodySchema,
    answer: lookupAnswerSchema,
    handle: async ({ idToken }) => {
      const { account } = await access.verify(idToken ?? undefined);
      return { kind: 'identitytoolkit#GetAccountInfoResponse', users: [accountInfoOf(account)] };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:update',
    summary: 'Change profile, password or e-mail address, or apply a code from a mail',
    body: updateBodySchema,
    answer: updateAnswerSchema,
    handle: async (body, request) => {
      const { localId, emailVerified, disableUser, customAttributes, validSince, ...given } = withoutNulls(body);
      if ([localId, emailVerified, disableUser, customAttributes, validSince].some((value) => value !== undefined)) {
        throw new IdentityError('INSUFFICIENT_PERMISSION');
      }
      const locale = localeOf(request);
      if (given.oobCode) return answerUpdate(await codeActions.apply(given.oobCode, locale, clientOf(request)));
      if (!given.idToken) throw new IdentityError('INVALID_REQ_TYPE', 'Unsupported request parameters.');
      const { account, newEmail, tokens } = await changes.update({ ...given, locale }, clientOf(request));
      return { ...answerUpdate(account), ...(newEmail === null ? {} : { newEmail }), ...tokens };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:delete',
    summary: 'Delete the account of an ID token',
    body: deleteBodySchema,
    answer: deleteAnswerSchema,
    handle: async ({ idToken, localId }) => {
      if (localId) throw new IdentityError('INSUFFICIENT_PERMISSION');
      await changes.delete(idToken ?? undefined);
      return { kind: 'identitytoolkit#DeleteAccountResponse' };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:createAuthUri',
    summary: 'Ways to sign in with an address (told only without enumeration protection)',
    body: createAuthUriBodySchema,
    answer: createAuthUriAnswerSchema,
    handle: async (body) => {
      const { identifier, continueUri } = withoutNulls(body);
      if (!identifier) throw new IdentityError('MISSING_IDENTIFIER');
      if (!continueUri) throw new IdentityError('MISSING_CONTINUE_URI');
      const email = readEmail(identifier, 'INVALID_IDENTIFIER');
      const answer = { kind: 'identitytoolkit#CreateAuthUriResponse', sessionId: createSecret() } as const;
      if (options.enumerationProtection) return answer;
      const methods = (await findAccountByEmail(database.query, email)) === null ? [] : ['password'];
      return { ...answer, registered: methods.length > 0, allProviders: methods, signinMethods: methods };
    },
  });
}

/** Both parts of the profile, always: the SDK takes an absent one for removed. */
export function answerUpdate(account: Account): UpdateAnswer {
  return {
    kind: 'identitytoolkit#SetAccountInfoResponse',
    localId: account.id,
    email: account.email,
    emailVerified: account.emailVerified,
    ...profileOf(account),
    providerUserInfo: providersOf(account),
  };
}
