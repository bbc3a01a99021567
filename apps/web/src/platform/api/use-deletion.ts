import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { forgetAnswer, forgetAnswers } from '../storage/kept-answers.ts';
import { useCall } from './use-call.ts';
import { refreshStoredPredictions, storedPredictionsKey } from './use-stored-predictions.ts';

export interface Deleted {
  readonly count: number;
  /** of the deleted prediction; null for several */
  readonly id: string | null;
  /** milliseconds since 1970; null when nothing can be restored */
  readonly restorableUntilMs: number | null;
}

/** Query key for the last deletion. Like all data of an account, it is dropped when the session ends. */
const keyOf = (localId: string | null) => ['account', localId, 'deleted'];

/**
 * Deletes a prediction, or with null all of them; a notice of the page offers to undo it (`useUndo`). Deletions in quick succession are
 * undone together.
 */
export function useDeletion() {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  return useCall(async (http, id: string | null) => (await import('./stored-predictions.ts')).deletePrediction(http, id), {
    onSuccess({ deleted: count, restorableUntilMs }, id) {
      if (id === null) forgetAnswers();
      else if (localId !== null) forgetAnswer(localId, id);
      queries.setQueryData<Deleted>(keyOf(localId), (before) => {
        const isOpen = (before?.restorableUntilMs ?? 0) > Date.now();
        return { count: count + (isOpen ? (before?.count ?? 0) : 0), id: isOpen ? null : id, restorableUntilMs };
      });
      // A list that is opened next does not show it for a moment.
      queries.removeQueries({ queryKey: storedPredictionsKey(localId, 'list'), type: 'inactive' });
    },
    // Not that which was deleted: a screen may still show it.
    onSettled: (_deletion, _error, id) =>
      queries.invalidateQueries({ queryKey: ['predictions'], predicate: ({ queryKey }) => !queryKey.includes(id) }),
  });
}

/** The last deletion; null for none. */
export function useDeleted(): Deleted | null {
  const { localId } = useAuthSnapshot().state;
  return useQuery<Deleted | null>({ queryKey: keyOf(localId), queryFn: skipToken }).data ?? null;
}

/** Undoes the last deletion, or forgets it. @param onRestored called with the id of the restored prediction if there is exactly one */
export function useUndo(onRestored: (id: string | null) => void) {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  const forget = () => queries.setQueryData<Deleted | null>(keyOf(localId), null);
  const undo = useCall(async (http, { id }: Deleted) => (await import('./stored-predictions.ts')).restorePrediction(http, id), {
    async onSuccess(_restored, { id }) {
      // The notice has the focus, so it stays until the restored prediction can take it.
      await refreshStoredPredictions(queries);
      forget();
      onRestored(id);
    },
    onError: () => refreshStoredPredictions(queries),
  });
  return { undo, forget };
}
