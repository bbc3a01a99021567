import type { BirdReview, FoundSpecies, Prediction } from '@chiffchaff/contract';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { reviewsQuery, sendReview, withReviews } from '../../../../platform/api/bird-reviews.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { useAccountApi } from '../../../../platform/session/session-context.tsx';
import { keepAnswer } from '../../../../platform/storage/kept-answers.ts';
import { readKeptAnswers } from '../../../../platform/storage/read-kept-answers.ts';
import { reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';

/** The review of one bird. */
export type ReviewStatement =
  | { readonly verdict: 'confirmed'; readonly bulk?: true }
  | { readonly verdict: 'rejected' | 'added' }
  | { readonly verdict: 'corrected'; readonly to: FoundSpecies };

interface Change {
  readonly scientificName: string;
  /** null withdraws the review */
  readonly said: ReviewStatement | null;
}

function saidOf({ verdict, to, toCommonName }: BirdReview): ReviewStatement {
  if (verdict !== 'corrected') return { verdict };
  const scientificName = to ?? '';
  return { verdict, to: { scientificName, commonName: toCommonName ?? scientificName } };
}

/** Updates the stored prediction, so that it shows the same reviews offline. */
function keepReviews(localId: string, predictionId: string, reviews: readonly BirdReview[]): void {
  const kept = readKeptAnswers(localId).find(({ prediction }) => prediction.id === predictionId);
  if (kept) keepAnswer(localId, { ...kept, prediction: withReviews(kept.prediction, reviews) });
}

/** @param given the prediction's initial reviews. @param isKept an account has the prediction; others have no reviews */
function useReviews(predictionId: string, given: readonly BirdReview[] = [], isKept = true): readonly BirdReview[] {
  const { data } = useQuery({
    ...reviewsQuery(useAccountApi(), predictionId),
    initialData: given,
    enabled: isKept,
    refetchOnWindowFocus: true,
  });
  return data;
}

/** A prediction with its current reviews. @param isKept an account has it */
export function useReviewed(prediction: Prediction, isKept: boolean): Prediction {
  const reviews = useReviews(prediction.id, prediction.reviews, isKept);
  return useMemo(() => (isKept ? withReviews(prediction, reviews) : prediction), [prediction, reviews, isKept]);
}

/**
 * Sends what a person says about the birds of a prediction. Choices for one prediction are sent one after the other, so that the last one
 * wins.
 */
export function useSaying(predictionId: string) {
  const api = useAccountApi();
  const { openHttp, localId } = api;
  const queries = useQueryClient();
  const { queryKey } = reviewsQuery(api, predictionId);
  const mutationKey = queryKey;
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Change,
  });
  const { mutate, error, reset } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    async mutationFn({ scientificName, said }: Change) {
      const body = said?.verdict === 'corrected' ? { verdict: said.verdict, to: said.to.scientificName } : said;
      return sendReview(await openHttp(), predictionId, scientificName, body);
    },
    async onSuccess(reviews) {
      // A read that is still running would return older data.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, reviews);
      if (localId !== null) keepReviews(localId, predictionId, reviews);
      void queries.invalidateQueries({
        queryKey: storedPredictionsKey(localId),
        predicate: (query) => !['reviews', 'one', 'beside'].includes(String(query.queryKey[2])),
      });
    },
    // The request may have arrived nevertheless.
    onError: () => void queries.invalidateQueries({ queryKey }),
  });
  return {
    /** not yet acknowledged, of all birds, the last one last */
    pending,
    /** why the last choice was not saved */
    error,
    /** @param said null withdraws the bird's review */
    say(scientificName: string, said: ReviewStatement | null) {
      reset();
      mutate({ scientificName, said });
    },
  };
}

/**
 * The review of one bird. A choice shows at once as being saved, and as a review only once the server has acknowledged it.
 *
 * @param given the prediction's initial reviews
 */
export function useReview(predictionId: string, scientificName: string, given: readonly BirdReview[] | undefined) {
  const { pending, error, say } = useSaying(predictionId);
  const known = reviewOf(useReviews(predictionId, given), scientificName);
  const last = pending.findLast((change) => change.scientificName === scientificName);
  return {
    /** null: no review */
    said: last ? last.said : known ? saidOf(known) : null,
    isSaving: last !== undefined,
    error,
    say: (said: ReviewStatement | null) => say(scientificName, said),
  };
}
