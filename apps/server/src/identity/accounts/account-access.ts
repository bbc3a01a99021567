import { IdentityError } from '../identity-error.ts';
import type { IdTokens } from '../tokens/id-tokens.ts';
import { type Account, findAccount, type Query } from './account-store.ts';
import type { Session, Sessions } from './sessions.ts';

export type AccountAccess = ReturnType<typeof createAccountAccess>;

export function createAccountAccess(query: Query, sessions: Sessions, idTokens: IdTokens) {
  return {
    /**
     * Returns the account and session of an ID token. Ended sessions and disabled or deleted accounts are refused at once.
     *
     * @throws IdentityError MISSING_ID_TOKEN, INVALID_ID_TOKEN, TOKEN_EXPIRED, USER_NOT_FOUND, USER_DISABLED
     */
    verify: async (idToken: string | undefined): Promise<{ readonly account: Account; readonly session: Session }> => {
      if (idToken === undefined || idToken === '') throw new IdentityError('MISSING_ID_TOKEN');
      const claims = await idTokens.read(idToken);
      const { sessionId } = claims;
      if (sessionId === null) throw new IdentityError('INVALID_ID_TOKEN');
      const account = await findAccount(query, claims.accountId);
      if (account === null) throw new IdentityError('USER_NOT_FOUND');
      if (account.disabled) throw new IdentityError('USER_DISABLED');
      requireStillValid(account, claims.authTimeSeconds);
      if (!(await sessions.isOpen(query, sessionId, account.id))) throw new IdentityError('TOKEN_EXPIRED');
      return { account, session: { id: sessionId, authTimeSeconds: claims.authTimeSeconds } };
    },
    /** Whether the session is open and its account enabled. */
    isOpen: async (accountId: string, sessionId: string | null): Promise<boolean> => {
      const account = await findAccount(query, accountId);
      if (account === null || account.disabled || sessionId === null) return false;
      return sessions.isOpen(query, sessionId, accountId);
    },
  };
}

/** The coarse check for revocation, by sign-in time; `sessions.isOpen` is the exact one. @throws IdentityError TOKEN_EXPIRED */
export function requireStillValid(account: Account, authTimeSeconds: number): void {
  if (authTimeSeconds < account.validSinceSeconds) throw new IdentityError('TOKEN_EXPIRED');
}
