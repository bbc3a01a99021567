import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccountApi } from '../session/session-context.tsx';
import type { WorkInHand } from './stored-predictions.ts';

/** Poll intervals while a recording is in progress, and while none is known to be: another device may send one. */
const BUSY_POLL_MS = 2000;
const IDLE_POLL_MS = 20_000;

/** Prefix of the query keys for an account's predictions, used for nothing else; a sign-out drops them all. */
export const storedPredictionsKey = (localId: string | null, ...further: readonly (string | null)[]) =>
  ['predictions', localId, ...further] as const;

export const refreshStoredPredictions = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['predictions'] });

/** Polls the account's recordings that are in progress, whichever device sent them. */
export function useWorkInHand(isWanted = true) {
  const { openHttp, localId } = useAccountApi();
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
