import type { BirdReview, FoundSpecies, Prediction } from '@chiffchaff/contract';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { reviewsQuery, sendReview, withReviews } from '../../../../platform/api/bird-reviews.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { useAccountApi } from '../../../../platform/session/session-context.tsx';
import { keepAnswer } from '../../../../platform/storage/kept-answers.ts';
import { readKeptAnswers } from '../../../../platform/storage/read-kept-answers.ts';

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

/** Updates the stored prediction, so that it shows the same reviews offline. */
function keepReviews(localId: string, predictionId: string, reviews: readonly BirdReview[]): void {
  const kept = readKeptAnswers(localId).find(({ prediction }) => prediction.id === predictionId);
  if (kept) keepAnswer(localId, { ...kept, prediction: withReviews(kept.prediction, reviews) });
}

/** A prediction with its current reviews. @param isKept an account has it; others have no reviews */
export function useReviewed(prediction: Prediction, isKept: boolean): Prediction {
  const { data: reviews } = useQuery({
    ...reviewsQuery(useAccountApi(), prediction.id),
    initialData: prediction.reviews ?? [],
    enabled: isKept,
    refetchOnWindowFocus: true,
  });
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
