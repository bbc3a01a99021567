import { IdentityError } from '../identity-error.ts';
import type { IdTokenClaims } from '../tokens/id-token-claims.ts';
import type { IdTokens } from '../tokens/id-tokens.ts';
import { type Account, findAccount, type Query } from './account-store.ts';
import type { Session, Sessions } from './sessions.ts';

export interface Access {
  readonly account: Account;
  readonly session: Session;
}

export interface AccountAccess {
  /**
   * The account and session behind an ID token, as they are now: what was revoked, disabled or deleted a moment ago is refused.
   *
   * @throws IdentityError MISSING_ID_TOKEN, INVALID_ID_TOKEN, TOKEN_EXPIRED, USER_NOT_FOUND, USER_DISABLED
   */
  verify(idToken: string | undefined): Promise<Access>;
  /** Whether that session of that account is open, and the account in use. */
  isOpen(accountId: string, sessionId: string | null): Promise<boolean>;
}

interface AccountAccessOptions {
  readonly query: Query;
  readonly sessions: Sessions;
  readonly idTokens: IdTokens;
}

export function createAccountAccess({ query, sessions, idTokens }: AccountAccessOptions): AccountAccess {
  return {
    verify: async (idToken) => {
      if (idToken === undefined || idToken === '') throw new IdentityError('MISSING_ID_TOKEN');
      const claims = await idTokens.read(idToken);
      const sessionId = requireSessionId(claims);
      const account = await findAccount(query, claims.accountId);
      if (account === null) throw new IdentityError('USER_NOT_FOUND');
      if (account.disabled) throw new IdentityError('USER_DISABLED');
      requireStillValid(account, claims.authTimeSeconds);
      if (!(await sessions.isOpen(query, sessionId, account.id))) throw new IdentityError('TOKEN_EXPIRED');
      return { account, session: { id: sessionId, authTimeSeconds: claims.authTimeSeconds } };
    },
    isOpen: async (accountId, sessionId) => {
      const account = await findAccount(query, accountId);
      if (account === null || account.disabled || sessionId === null) return false;
      return sessions.isOpen(query, sessionId, accountId);
    },
  };
}

/** The outer check of revocation, by time; sessions are the inner one. @throws IdentityError TOKEN_EXPIRED */
export function requireStillValid(account: Account, authTimeSeconds: number): void {
  if (authTimeSeconds < account.validSinceSeconds) throw new IdentityError('TOKEN_EXPIRED');
}

function requireSessionId({ sessionId }: IdTokenClaims): string {
  if (sessionId === null) throw new IdentityError('INVALID_ID_TOKEN');
  return sessionId;
}
