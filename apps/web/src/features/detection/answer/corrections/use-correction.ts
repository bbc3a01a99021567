import type { Correction, FoundSpecies, Prediction } from '@chiffchaff/contract';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { sendCorrection } from '../../../../platform/api/corrections.ts';
import { useOpenHttp } from '../../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { useAuthSnapshot } from '../../../../platform/session/session-context.tsx';
import { keepAnswer } from '../../../../platform/storage/kept-answers.ts';
import { readKeptAnswers } from '../../../../platform/storage/read-kept-answers.ts';
import { correctionsQuery, withCorrections } from './corrections-query.ts';

/** The correction of one bird. */
export type CorrectionStatement =
  | { readonly kind: 'confirmed' | 'rejected' }
  | { readonly kind: 'corrected'; readonly correctedTo: FoundSpecies };

interface Change {
  readonly scientificName: string;
  /** null withdraws the correction */
  readonly said: CorrectionStatement | null;
}

const bodyOf = (said: CorrectionStatement) =>
  said.kind === 'corrected' ? { kind: said.kind, correctedTo: said.correctedTo.scientificName } : { kind: said.kind };

function saidOf({ kind, correctedTo, correctedToCommonName }: Correction): CorrectionStatement {
  if (kind !== 'corrected') return { kind };
  const scientificName = correctedTo ?? '';
  return { kind, correctedTo: { scientificName, commonName: correctedToCommonName ?? scientificName } };
}

/** Updates the stored prediction, so that it shows the same corrections offline. */
function keepCorrections(localId: string, predictionId: string, corrections: readonly Correction[]): void {
  const kept = readKeptAnswers(localId).find(({ prediction }) => prediction.id === predictionId);
  if (kept) keepAnswer(localId, { ...kept, prediction: withCorrections(kept.prediction, corrections) });
}

/** @param given the prediction's initial corrections. @param isKept an account has the prediction; others have no corrections */
function useCorrections(predictionId: string, given: readonly Correction[] = [], isKept = true): readonly Correction[] {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  const { data } = useQuery({
    ...correctionsQuery(openHttp, localId, predictionId),
    initialData: given,
    enabled: isKept,
    refetchOnWindowFocus: true,
  });
  return data;
}

/** A prediction with its current corrections. @param isKept an account has it */
export function useCorrected(prediction: Prediction, isKept: boolean): Prediction {
  const corrections = useCorrections(prediction.id, prediction.corrections, isKept);
  return useMemo(() => (isKept ? withCorrections(prediction, corrections) : prediction), [prediction, corrections, isKept]);
}

/**
 * The correction of one bird. A choice shows at once as being saved, and as a correction only once the server has acknowledged it. Choices
 * for one prediction are sent one after the other, so that the last one wins.
 *
 * @param given the prediction's initial corrections
 */
export function useCorrection(predictionId: string, scientificName: string, given: readonly Correction[] | undefined) {
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const { localId } = useAuthSnapshot().state;
  const { queryKey } = correctionsQuery(openHttp, localId, predictionId);
  const mutationKey = queryKey;
  const acknowledged = useCorrections(predictionId, given);
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Change,
  }).findLast((change) => change.scientificName === scientificName);
  const { mutate, error, reset } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    mutationFn: async ({ said }: Change) => sendCorrection(await openHttp(), predictionId, scientificName, said && bodyOf(said)),
    async onSuccess(corrections) {
      // A read that is still running would return older data.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, corrections);
      if (localId !== null) keepCorrections(localId, predictionId, corrections);
      void queries.invalidateQueries({
        queryKey: storedPredictionsKey(localId),
        predicate: (query) => !['corrections', 'one'].includes(String(query.queryKey[2])),
      });
    },
    // The request may have arrived nevertheless.
    onError: () => void queries.invalidateQueries({ queryKey }),
  });
  const known = acknowledged.find((correction) => correction.scientificName === scientificName);
  return {
    /** null: no correction */
    said: pending ? pending.said : known ? saidOf(known) : null,
    isSaving: pending !== undefined,
    /** why the last choice was not saved */
    error,
    say(said: CorrectionStatement | null) {
      reset();
      mutate({ scientificName, said });
    },
  };
}
