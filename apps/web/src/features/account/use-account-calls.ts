import { useMemo } from 'react';
import type { IdentityClient } from '../../platform/identity/identity-client.ts';
import { IdentityFailure, toIdentityFailure } from '../../platform/identity/identity-failure.ts';
import { type FindIdentity, useIdentity } from '../../platform/identity/use-identity.ts';
import type { AuthSession } from '../../platform/session/auth-session.ts';
import { useAuthSession } from '../../platform/session/session-context.tsx';

/** Codes that mean: this token is no good any longer. */
const sessionOver: readonly (string | null)[] = ['TOKEN_EXPIRED', 'USER_NOT_FOUND', 'USER_DISABLED', 'INVALID_ID_TOKEN'];

/** Calls of the identity service on behalf of whoever is signed in. All reject with an IdentityFailure. */
export interface AccountCalls {
  /** Calls with the present ID token; where the service says that it is no good, the session is over. */
  withToken<Answer>(call: (identity: IdentityClient, idToken: string) => Promise<Answer>): Promise<Answer>;
  /**
   * Takes the password once more: what guards an account is changed only shortly after a sign-in.
   *
   * @returns the new ID token, which the session goes on with
   */
  confirmPassword(email: string, password: string): Promise<string>;
}

export function createAccountCalls(session: AuthSession, findIdentity: FindIdentity): AccountCalls {
  return {
    async withToken(call) {
      const identity = await findIdentity();
      const token = await session.tokenForCall();
      if (token === null) throw new IdentityFailure('TOKEN_EXPIRED', 'TOKEN_EXPIRED');
      try {
        return await call(identity, token);
      } catch (thrown) {
        const failure = toIdentityFailure(thrown);
        if (sessionOver.includes(failure.code)) session.refused(token);
        throw failure;
      }
    },
    async confirmPassword(email, password) {
      const issued = await (await findIdentity()).signIn({ email, password });
      session.resume(issued, { revoke: true });
      return issued.token;
    },
  };
}

export function useAccountCalls(): AccountCalls {
  const session = useAuthSession();
  const findIdentity = useIdentity();
  return useMemo(() => createAccountCalls(session, findIdentity), [session, findIdentity]);
}
