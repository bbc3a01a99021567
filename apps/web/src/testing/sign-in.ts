import type { AuthSession } from '../platform/session/create-auth-session.ts';

/** Signs an account in, with a token that tells whose it is. */
export const signIn = (session: AuthSession, localId: string) =>
  session.signIn(`${localId}@example.org`, false, async () => ({
    ...{ token: `${localId}.token`, refreshToken: 'r', expiresInSeconds: 3600, localId },
  }));
