import { useQueryClient } from '@tanstack/react-query';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { forgetAnswer, forgetAnswers } from '../storage/kept-answers.ts';
import { type Deleted, lastDeletionKey } from './last-deletion.ts';
import { deletePrediction, restorePrediction } from './stored-predictions.ts';
import { useCall } from './use-call.ts';
import { refreshStoredPredictions, storedPredictionsKey } from './use-stored-predictions.ts';

/**
 * Deletes a prediction, or with null all of them; a notice of the page offers to undo it (`useUndo`). Deletions in quick succession are
 * undone together.
 */
export function useDeletion() {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  return useCall(deletePrediction, {
    onSuccess({ deleted: count, restorableUntilMs }, id) {
      if (id === null) forgetAnswers();
      else if (localId !== null) forgetAnswer(localId, id);
      queries.setQueryData<Deleted>(lastDeletionKey(localId), (before) => {
        const isOpen = !before?.isUndone && (before?.restorableUntilMs ?? 0) > Date.now();
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

/** Undoes the last deletion, or forgets it. @param onRestored called with the id of the restored prediction if there is exactly one */
export function useUndo(onRestored: (id: string | null) => void) {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  const forget = () => queries.setQueryData<Deleted | null>(lastDeletionKey(localId), null);
  const undo = useCall((http, { id }: Deleted) => restorePrediction(http, id), {
    async onSuccess(_restored, deleted) {
      // The notice has the focus, so it stays until the restored prediction can take it.
      await refreshStoredPredictions(queries);
      queries.setQueryData<Deleted>(lastDeletionKey(localId), { ...deleted, isUndone: true });
      onRestored(deleted.id);
    },
    onError: () => refreshStoredPredictions(queries),
  });
  return { undo, forget };
}
