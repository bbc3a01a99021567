import { createContext, useContext } from 'react';
import { usePublicConfig } from '../api/public-config.ts';
import { useStore } from '../browser/store.ts';
import type { AuthSession, AuthSnapshot } from './create-auth-session.ts';
import type { OpenHttp, PageSession } from './page-session.ts';
import type { ReturnUrl } from './return-url.ts';

type Provided = Pick<PageSession, 'session' | 'openHttp' | 'returnUrl' | 'termsTick'>;

const SessionContext = createContext<Provided | null>(null);

/** Provides the page's session and API client, and the path that was requested before the sign-in. */
export const SessionProvider = SessionContext.Provider;

function useProvided(): Provided {
  const provided = useContext(SessionContext);
  if (!provided) throw new Error('There is no SessionProvider around this component');
  return provided;
}

export const useAuthSession = (): AuthSession => useProvided().session;
export const useOpenHttp = (): OpenHttp => useProvided().openHttp;
export const useReturnUrl = (): ReturnUrl => useProvided().returnUrl;

/** Whether this visitor has ticked the box about the terms since the page was loaded, and a setter. It is stored nowhere. */
export function useTermsTick() {
  const { termsTick } = useProvided();
  return [useStore(termsTick), termsTick.set] as const;
}

export const useAuthSnapshot = (): AuthSnapshot => useStore(useAuthSession());

/** What a query for an account's data needs. `localId` is null while no account is signed in. */
export const useAccountApi = () => ({ openHttp: useOpenHttp(), localId: useAuthSnapshot().state.localId });
export type AccountApi = ReturnType<typeof useAccountApi>;

/**
 * Whether this visitor may request predictions. `notNeeded`: the deployment serves everyone. `unknown`: the configuration has not arrived,
 * or a stored session is being renewed; nobody is redirected meanwhile.
 */
export type Session =
  | { readonly kind: 'unknown' | 'signedIn' | 'notNeeded' | 'signedOut' }
  | { readonly kind: 'unreachable'; readonly retry: () => void };

export function useSession(): Session {
  const { state } = useAuthSnapshot();
  const { data, isError, refetch } = usePublicConfig();
  if (!data) return isError ? { kind: 'unreachable', retry: () => void refetch() } : { kind: 'unknown' };
  if (state.token !== null) return { kind: 'signedIn' };
  if (data.openPrediction) return { kind: 'notNeeded' };
  return { kind: state.loading ? 'unknown' : 'signedOut' };
}

export const isAdmitted = ({ kind }: Session): boolean => kind === 'signedIn' || kind === 'notNeeded';
