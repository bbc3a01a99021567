/**
 * The methods with which people sign up, sign in and stay signed in; `identity-routes.ts` registers them. Every refusal is an IdentityError
 * from the contract's catalogue.
 */
import {
  signInAnswerSchema,
  signInBodySchema,
  signUpAnswerSchema,
  signUpBodySchema,
  tokenAnswerSchema,
  tokenBodySchema,
} from '@chiffchaff/contract';
import { requireStillValid } from '../accounts/account-access.ts';
import { checkNewPassword, readDisplayName, readEmail } from '../accounts/account-rules.ts';
import {
  type Account,
  changeAccount,
  findAccount,
  findAccountByEmail,
  insertAccount,
  newAccount,
  type Query,
} from '../accounts/account-store.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Session } from '../accounts/sessions.ts';
import { recordAcceptance } from '../accounts/terms.ts';
import type { AccountParts } from '../embedded-parts.ts';
import { IdentityError, isRefusal } from '../identity-error.ts';
import { checkInvitation, useInvitation } from '../invitations.ts';
import { type MethodScope, projectNumberOf } from './method-routes.ts';

export function serveSignIn(app: MethodScope, parts: AccountParts): void {
  const { database, passwords, sessions, access, limits, enumerationProtection } = parts;

  app.post(
    '/v1/accounts::signUp',
    { schema: { summary: 'Create an account', body: signUpBodySchema, response: { 200: signUpAnswerSchema } } },
    async ({ body, ip, headers }) => {
      if (body.idToken) {
        await access.verify(body.idToken);
        throw new IdentityError('OPERATION_NOT_ALLOWED', 'This account already has a password.');
      }
      if (!body.email && !body.password) throw new IdentityError('ADMIN_ONLY_OPERATION');
      if (!body.email) throw new IdentityError('MISSING_EMAIL');
      if (!body.password) throw new IdentityError('MISSING_PASSWORD');
      if (parts.signUp === 'closed') throw new IdentityError('ADMIN_ONLY_OPERATION');
      const email = readEmail(body.email);
      checkNewPassword(body.password);
      const displayName = readDisplayName(body.displayName ?? '');
      const { inviteCode = '', termsVersion } = body;
      // Before the address is looked up, so that without an invitation the response does not reveal whether it has an account.
      const isInvited = parts.signUp === 'invite';
      if (isInvited) {
        if (inviteCode === '') throw new IdentityError('INVITATION_NEEDED');
        await limits.tryCode(ip, ['INVALID_INVITATION'], () => checkInvitation(database.query, inviteCode, email));
      }
      await limits.takeSignUp(ip);
      if ((await findAccountByEmail(database.query, email)) !== null) throw new IdentityError('EMAIL_EXISTS');
      const account = newAccount({ email, displayName, passwordHash: await passwords.hash(body.password), nowMs: Date.now() });
      const { session, refreshToken } = await database.change({}, async (query) => {
        // Of two concurrent sign-ups with one address, the table's unique constraint lets one through.
        if (!(await insertAccount(query, account))) throw new IdentityError('EMAIL_EXISTS');
        if (isInvited) await useInvitation(query, inviteCode, account);
        if (termsVersion) await recordAcceptance(query, account.id, termsVersion, Date.now());
        return sessions.open(query, account.id, headers['user-agent']);
      });
      const kind = 'identitytoolkit#SignupNewUserResponse' as const;
      const name = displayName === null ? {} : { displayName };
      return { kind, localId: account.id, email, ...name, ...(await issueTokens(parts, account, session, refreshToken)) };
    },
  );

  app.post(
    '/v1/accounts::signInWithPassword',
    { schema: { summary: 'Sign in', body: signInBodySchema, response: { 200: signInAnswerSchema } } },
    async ({ body, ip, headers }) => {
      if (body.email === undefined) throw new IdentityError('MISSING_EMAIL');
      const email = readEmail(body.email);
      const { password } = body;
      if (!password) throw new IdentityError('MISSING_PASSWORD');
      await limits.takeSignIn(email, ip);
      const found = await findAccountByEmail(database.query, email);
      const isRight = await passwords.matches(found?.passwordHash ?? null, password);
      if (found === null || !isRight) throw wrongCredentials(found, enumerationProtection);
      if (found.disabled) throw new IdentityError('USER_DISABLED');
      const passwordHash = await rehash(passwords, found, password);
      // The password was right: a sign-in that fails on a busy database is not a failed attempt.
      await limits.giveSignInBack(email, ip);
      // Allowed on a full disk, because deleting an account needs a sign-in.
      const { account, session, refreshToken } = await database.change({ freesRoom: true }, async (query) => {
        const current = await findAccount(query, found.id);
        // While the hash was computed, the password may have been changed or the account deleted.
        if (current === null || current.passwordUpdatedAtMs !== found.passwordUpdatedAtMs) {
          throw wrongCredentials(current, enumerationProtection);
        }
        const changed = await changeAccount(query, found.id, { passwordHash, lastLoginAtMs: Date.now() });
        return { account: changed ?? current, ...(await sessions.open(query, found.id, headers['user-agent'])) };
      });
      const kind = 'identitytoolkit#VerifyPasswordResponse' as const;
      const tokens = await issueTokens(parts, account, session, refreshToken);
      const { id: localId, displayName } = account;
      return { kind, localId, email: account.email, displayName: displayName ?? '', registered: true as const, ...tokens };
    },
  );
}

/** The token service: issues a new ID token for a refresh token. Accepts a form, as in OAuth, or JSON. */
export function serveTokenMethod(app: MethodScope, parts: AccountParts): void {
  app.post(
    '/v1/token',
    {
      config: { signsOutOnJsonError: true },
      schema: { summary: 'Renew an ID token (form or JSON body)', body: tokenBodySchema, response: { 200: tokenAnswerSchema } },
    },
    async ({ body: { grant_type: grantType, refresh_token: refreshToken }, ip }) => {
      if (!grantType) throw new IdentityError('MISSING_GRANT_TYPE');
      if (grantType !== 'refresh_token') throw new IdentityError('INVALID_GRANT_TYPE');
      if (!refreshToken) throw new IdentityError('MISSING_REFRESH_TOKEN');
      await parts.limits.takeRefresh(ip);
      // A refusal may have ended the session, which must not be rolled back.
      const renewed = await parts.database.change({}, (query) => renew(parts, query, refreshToken).catch(orRefusal));
      if (renewed instanceof IdentityError) throw renewed;
      // The session's sign-in time stays the same.
      const { idToken, expiresIn } = await issueTokens(parts, renewed.account, renewed, refreshToken);
      return {
        access_token: idToken,
        id_token: idToken,
        expires_in: expiresIn,
        refresh_token: refreshToken,
        token_type: 'Bearer' as const,
        user_id: renewed.account.id,
        project_id: projectNumberOf(parts.projectId),
      };
    },
  );
}

/** The tokens of a session, as responses have them; seconds are a string in this protocol. */
export async function issueTokens({ idTokens }: AccountParts, account: Account, session: Session, refreshToken: string) {
  return { idToken: await idTokens.issue(account, session), refreshToken, expiresIn: String(idTokens.ttlSeconds) };
}

async function rehash(passwords: Passwords, account: Account, password: string): Promise<string> {
  try {
    return passwords.isOutdated(account.passwordHash) ? await passwords.hash(password) : account.passwordHash;
  } catch (error) {
    // A later sign-in rehashes it.
    if (isRefusal(error, 'TOO_MANY_ATTEMPTS_TRY_LATER')) return account.passwordHash;
    throw error;
  }
}

async function renew({ sessions }: AccountParts, query: Query, refreshToken: string) {
  const session = await sessions.find(query, refreshToken);
  const found = await findAccount(query, session.accountId);
  if (found === null) throw new IdentityError('USER_NOT_FOUND');
  if (found.disabled) throw new IdentityError('USER_DISABLED');
  requireStillValid(found, session.authTimeSeconds);
  await sessions.recordUse(query, session.id);
  const account = await changeAccount(query, session.accountId, { lastRefreshAtMs: Date.now() });
  if (account === null) throw new IdentityError('USER_NOT_FOUND');
  return { ...session, account };
}

function orRefusal(error: unknown): IdentityError {
  if (error instanceof IdentityError) return error;
  throw error;
}

/** With enumeration protection, both cases get the same error, which does not reveal whether the account exists. */
function wrongCredentials(account: Account | null, enumerationProtection: boolean): IdentityError {
  if (enumerationProtection) return new IdentityError('INVALID_LOGIN_CREDENTIALS');
  return new IdentityError(account === null ? 'EMAIL_NOT_FOUND' : 'INVALID_PASSWORD');
}
