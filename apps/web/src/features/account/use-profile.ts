import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { useAccountCalls } from './use-account-calls.ts';

/** The account of whoever is signed in, as the identity service knows it now. */
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

/** Reads parts of the account again after something was changed. */
export function useRefreshAccount(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['account'] });
}
