import { usePublicConfig } from '../api/public-config.ts';
import { useAuthSnapshot } from './session-context.tsx';

/**
 * Whether this visitor may ask for predictions. `notNeeded`: the deployment answers everybody. `unknown`: the configuration has
 * not arrived, or a kept session is being renewed; nothing is promised and nobody is sent away meanwhile.
 */
export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreachable'; readonly retry: () => void }
  | { readonly kind: 'signedIn' }
  | { readonly kind: 'notNeeded' }
  | { readonly kind: 'signedOut' };

export function useSession(): Session {
  const { state } = useAuthSnapshot();
  const { data, isError, refetch } = usePublicConfig();
  if (!data) return isError ? { kind: 'unreachable', retry: () => void refetch() } : { kind: 'unknown' };
  if (state.token !== null) return { kind: 'signedIn' };
  if (data.openPrediction) return { kind: 'notNeeded' };
  return { kind: state.loading ? 'unknown' : 'signedOut' };
}

/** Whether the screens behind the gate are open. */
export const isAdmitted = ({ kind }: Session): boolean => kind === 'signedIn' || kind === 'notNeeded';
