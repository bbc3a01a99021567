import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { forgetAnswer, forgetAnswers } from '../storage/kept-answers.ts';
import { deletePrediction, restorePrediction } from './stored-predictions.ts';
import { useCall } from './use-call.ts';
import { refreshStoredPredictions } from './use-stored-predictions.ts';

interface Deleted {
  readonly count: number;
  /** of the deleted prediction; null for several */
  readonly id: string | null;
  /** milliseconds since 1970; null when nothing can be restored */
  readonly restorableUntilMs: number | null;
}

interface Options {
  /** Called after a deletion, and after an attempt to delete or restore that failed. */
  readonly onSettled?: () => void;
  /** Called after an undo, with the id of the restored prediction if there is exactly one. */
  readonly onRestored: (id: string | null) => void;
}

/** Deletes predictions, and can undo this for a while. Deletions in quick succession are undone together. */
export function useDeletion({ onSettled = () => {}, onRestored }: Options) {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  const remove = useCall(deletePrediction, {
    onSuccess({ deleted: count, restorableUntilMs }, id) {
      if (id === null) forgetAnswers();
      else if (localId !== null) forgetAnswer(localId, id);
      setDeleted((before) => {
        const isOpen = (before?.restorableUntilMs ?? 0) > Date.now();
        return { count: count + (isOpen ? (before?.count ?? 0) : 0), id: isOpen ? null : id, restorableUntilMs };
      });
    },
    onSettled,
  });
  const undo = useCall((http, { id }: Deleted) => restorePrediction(http, id), {
    async onSuccess(_restored, { id }) {
      // The notice has the focus, so it stays until the restored prediction can take it.
      await refreshStoredPredictions(queries);
      setDeleted(null);
      onRestored(id);
    },
    onError: onSettled,
  });
  // That of the latest action.
  const { failure } = undo.submittedAt > remove.submittedAt ? undo : remove;
  return { deleted, remove, undo, failure, forget: () => setDeleted(null) };
}
