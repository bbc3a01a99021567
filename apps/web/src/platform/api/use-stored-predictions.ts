import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { useOpenHttp } from './open-http.ts';
import type { WorkInHand } from './stored-predictions.ts';

/** Between two looks while something is listened to, and while nothing is known to be: another device may begin. */
const BUSY_POLL_MS = 2000;
const IDLE_POLL_MS = 20_000;

/** Under what answers about an account's predictions are kept; no other key begins so, and a sign-out drops them all. */
export const storedPredictionsKey = (localId: string | null, ...further: readonly (string | null)[]) =>
  ['predictions', localId, ...further] as const;

export const refreshStoredPredictions = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['predictions'] });

/** Recordings of the account that have no answer yet, kept up to date wherever they were sent from. */
export function useWorkInHand(isWanted = true) {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  const queryKey = storedPredictionsKey(localId, 'inWork');
  return useQuery({
    queryKey,
    enabled: isWanted && localId !== null,
    async queryFn({ signal }) {
      const [http, { readWorkInHand }] = await Promise.all([openHttp(), import('./stored-predictions.ts')]);
      return readWorkInHand(http, queries.getQueryData<WorkInHand>(queryKey) ?? null, signal);
    },
    refetchInterval: ({ state }) => ((state.data?.inWork.length ?? 0) > 0 ? BUSY_POLL_MS : IDLE_POLL_MS),
    refetchOnWindowFocus: true,
  });
}
