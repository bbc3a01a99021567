import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { IdentityClient } from '../../platform/identity/identity-client.ts';
import { IdentityFailure, passwordRefused, toIdentityFailure } from '../../platform/identity/identity-failure.ts';
import { useIdentity } from '../../platform/identity/open-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';

/** Codes for a token that is no longer valid. */
const SESSION_OVER: readonly (string | null)[] = ['TOKEN_EXPIRED', 'USER_NOT_FOUND', 'USER_DISABLED', 'INVALID_ID_TOKEN'];

/** Calls to the identity service for the signed-in account. All reject with an IdentityFailure. */
export function useAccountCalls() {
  const session = useAuthSession();
  const findIdentity = useIdentity();
  return {
    /** Calls with the current ID token; if the service rejects it, the session ends. */
    async withToken<Answer>(call: (identity: IdentityClient, idToken: string) => Promise<Answer>): Promise<Answer> {
      const identity = await findIdentity();
      const token = await session.tokenForCall();
      if (token === null) throw new IdentityFailure('TOKEN_EXPIRED', 'TOKEN_EXPIRED');
      try {
        return await call(identity, token);
      } catch (thrown) {
        const failure = toIdentityFailure(thrown);
        if (SESSION_OVER.includes(failure.code)) session.refused(token);
        throw failure;
      }
    },
    /** Signs in again with the password: credentials can only be changed shortly after a sign-in. */
    async confirmPassword(email: string, password: string): Promise<void> {
      const identity = await findIdentity();
      session.resume(await identity.signIn({ email, password }).catch(passwordRefused), { revoke: true });
    },
  };
}

export function useProfile() {
  const calls = useAccountCalls();
  const { localId } = useAuthSnapshot().state;
  return useQuery({
    queryKey: ['account', localId, 'profile'],
    queryFn: () => calls.withToken((identity, idToken) => identity.lookup(idToken)),
    retry: false,
    refetchOnWindowFocus: true,
  });
}

export function useRefreshAccount(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['account'] });
}
