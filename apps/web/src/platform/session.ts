import { usePublicConfig } from './public-config.ts';

/**
 * Whether this visitor may ask for predictions. `notNeeded`: the deployment answers everybody. `unknown`: the configuration has
 * not arrived; nothing is promised and nobody is sent away meanwhile.
 */
export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreachable'; readonly retry: () => void }
  | { readonly kind: 'notNeeded' }
  | { readonly kind: 'signedOut' };

export function useSession(): Session {
  const { data, isError, refetch } = usePublicConfig();
  if (data) return data.openPrediction ? { kind: 'notNeeded' } : { kind: 'signedOut' };
  return isError ? { kind: 'unreachable', retry: () => void refetch() } : { kind: 'unknown' };
}

/** Whether the screens behind the gate are open. */
export const isAdmitted = ({ kind }: Session): boolean => kind === 'notNeeded';
