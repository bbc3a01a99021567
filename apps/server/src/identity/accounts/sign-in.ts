import type { SignInBody, SignUp, SignUpBody } from '@chiffchaff/contract';
import { IdentityError, isRefusal } from '../identity-error.ts';
import { checkInvitation, useInvitation } from '../invitations.ts';
import { requireStillValid } from './account-access.ts';
import type { AccountParts } from './account-parts.ts';
import { checkNewPassword, readDisplayName, readEmail } from './account-rules.ts';
import {
  type Account,
  changeAccount,
  createAccountId,
  findAccount,
  findAccountByEmail,
  insertAccount,
  type Query,
} from './account-store.ts';
import type { Session } from './sessions.ts';
import { recordAcceptance } from './terms.ts';

/** The client of a request. */
export interface Client {
  readonly address: string;
  readonly userAgent: string | null;
  /** `X-Firebase-Locale`, the language for mails */
  readonly locale?: string;
}

export interface IssuedTokens {
  readonly idToken: string;
  readonly refreshToken: string;
  /** seconds, as a string as in the protocol */
  readonly expiresIn: string;
}

export interface SignInResult {
  readonly account: Account;
  readonly tokens: IssuedTokens;
}

/** Sign-up, sign-in and refresh. Every refusal is an IdentityError from the contract's catalogue. */
export function createSignIn(options: AccountParts & { readonly signUp: SignUp }) {
  const { database, passwords, sessions, idTokens, access, limits } = options;

  async function issue(account: Account, session: Session, refreshToken: string): Promise<SignInResult> {
    const idToken = await idTokens.issue(account, session);
    return { account, tokens: { idToken, refreshToken, expiresIn: String(idTokens.ttlSeconds) } };
  }

  async function refuseLinking(idToken: string): Promise<never> {
    await access.verify(idToken);
    throw new IdentityError('OPERATION_NOT_ALLOWED', 'This account already has a password.');
  }

  async function requireInvitation(code: string | undefined, email: string, { address }: Client): Promise<void> {
    if (!code) throw new IdentityError('INVITATION_NEEDED');
    await limits.tryCode(address, ['INVALID_INVITATION'], () => checkInvitation(database.query, code, email));
  }

  async function rehash(account: Account, password: string): Promise<string> {
    try {
      return passwords.isOutdated(account.passwordHash) ? await passwords.hash(password) : account.passwordHash;
    } catch (error) {
      // A later sign-in rehashes it.
      if (isRefusal(error, 'TOO_MANY_ATTEMPTS_TRY_LATER')) return account.passwordHash;
      throw error;
    }
  }

  async function renew(query: Query, refreshToken: string): Promise<Session & { readonly account: Account }> {
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

  return {
    signUp: async (request: SignUpBody, client: Client): Promise<SignInResult> => {
      if (request.idToken) return refuseLinking(request.idToken);
      if (!request.email && !request.password) throw new IdentityError('ADMIN_ONLY_OPERATION');
      if (!request.email) throw new IdentityError('MISSING_EMAIL');
      if (!request.password) throw new IdentityError('MISSING_PASSWORD');
      if (options.signUp === 'closed') throw new IdentityError('ADMIN_ONLY_OPERATION');
      const email = readEmail(request.email);
      checkNewPassword(request.password);
      const displayName = readDisplayName(request.displayName ?? '');
      // Before the address is looked up: without an invitation, nobody can learn whether it has an account.
      const isInvited = options.signUp === 'invite';
      if (isInvited) await requireInvitation(request.inviteCode, email, client);
      await limits.takeSignUp(client.address);
      if ((await findAccountByEmail(database.query, email)) !== null) throw new IdentityError('EMAIL_EXISTS');
      const account = newAccount({ email, displayName, passwordHash: await passwords.hash(request.password), nowMs: Date.now() });
      const { session, refreshToken } = await database.change({}, async (query) => {
        // Of two concurrent sign-ups with one address, the table's unique constraint lets one through.
        if (!(await insertAccount(query, account))) throw new IdentityError('EMAIL_EXISTS');
        if (isInvited) await useInvitation(query, request.inviteCode ?? '', account);
        if (request.termsVersion) await recordAcceptance(query, account.id, request.termsVersion, Date.now());
        return sessions.open(query, account.id, client.userAgent);
      });
      return issue(account, session, refreshToken);
    },

    signIn: async (request: SignInBody, client: Client): Promise<SignInResult> => {
      if (request.email === undefined) throw new IdentityError('MISSING_EMAIL');
      const email = readEmail(request.email);
      const { password } = request;
      if (!password) throw new IdentityError('MISSING_PASSWORD');
      await limits.takeSignIn(email, client.address);
      const found = await findAccountByEmail(database.query, email);
      const isRight = await passwords.matches(found?.passwordHash ?? null, password);
      if (found === null || !isRight) throw wrongCredentials(found, options.enumerationProtection);
      if (found.disabled) throw new IdentityError('USER_DISABLED');
      const passwordHash = await rehash(found, password);
      // The password was right: a sign-in that fails on a busy database is not a failed attempt.
      await limits.giveSignInBack(email, client.address);
      // Allowed on a full disk, because deleting an account needs a sign-in.
      const opened = await database.change({ freesRoom: true }, async (query) => {
        const current = await findAccount(query, found.id);
        // While the hash was computed, the password may have been changed or the account deleted.
        if (current === null || current.passwordUpdatedAtMs !== found.passwordUpdatedAtMs) {
          throw wrongCredentials(current, options.enumerationProtection);
        }
        const account = await changeAccount(query, found.id, { passwordHash, lastLoginAtMs: Date.now() });
        return { account: account ?? current, ...(await sessions.open(query, found.id, client.userAgent)) };
      });
      return issue(opened.account, opened.session, opened.refreshToken);
    },

    /** Issues a new ID token for a refresh token. The session's sign-in time stays the same. */
    refresh: async (refreshToken: string, client: Client): Promise<SignInResult> => {
      await limits.takeRefresh(client.address);
      // A refusal may have ended the session, which must not be rolled back.
      const renewed = await database.change({}, (query) => renew(query, refreshToken).catch(orRefusal));
      if (renewed instanceof IdentityError) throw renewed;
      return issue(renewed.account, renewed, refreshToken);
    },
  };
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

interface NewAccount {
  readonly id?: string | undefined;
  readonly email: string;
  readonly displayName: string | null;
  readonly passwordHash: string;
  readonly nowMs: number;
}

export function newAccount({ id = createAccountId(), nowMs, ...given }: NewAccount): Account {
  return {
    ...given,
    id,
    emailVerified: false,
    passwordUpdatedAtMs: nowMs,
    photoUrl: null,
    disabled: false,
    customAttributes: null,
    createdAtMs: nowMs,
    lastLoginAtMs: nowMs,
    lastRefreshAtMs: null,
    validSinceSeconds: Math.floor(nowMs / 1000),
  };
}
