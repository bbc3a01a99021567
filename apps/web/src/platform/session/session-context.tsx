import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from '../browser/store.ts';
import type { AuthSession, AuthSnapshot } from './auth-session.ts';
import type { ReturnUrl } from './return-url.ts';

interface Provided {
  readonly session: AuthSession;
  readonly returnUrl: ReturnUrl;
}

const SessionContext = createContext<Provided | null>(null);

/** Hands the page's session and the path that was asked for before it to whatever is inside. */
export function SessionProvider({ session, returnUrl, children }: Provided & { readonly children: ReactNode }) {
  return <SessionContext value={{ session, returnUrl }}>{children}</SessionContext>;
}

function useProvided(): Provided {
  const provided = useContext(SessionContext);
  if (!provided) throw new Error('There is no SessionProvider around this component');
  return provided;
}

export const useAuthSession = (): AuthSession => useProvided().session;
export const useReturnUrl = (): ReturnUrl => useProvided().returnUrl;

/** Who is signed in, kept up to date. */
export const useAuthSnapshot = (): AuthSnapshot => useStore(useAuthSession());
