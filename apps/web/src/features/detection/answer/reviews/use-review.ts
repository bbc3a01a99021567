import type { BirdReview, FoundSpecies, Prediction } from '@chiffchaff/contract';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { sendReview } from '../../../../platform/api/bird-reviews.ts';
import { useOpenHttp } from '../../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { useAuthSnapshot } from '../../../../platform/session/session-context.tsx';
import { keepAnswer } from '../../../../platform/storage/kept-answers.ts';
import { readKeptAnswers } from '../../../../platform/storage/read-kept-answers.ts';
import { reviewsQuery, withReviews } from './reviews-query.ts';

/** The review of one bird. */
export type ReviewStatement =
  | { readonly verdict: 'confirmed' | 'rejected' }
  | { readonly verdict: 'corrected'; readonly to: FoundSpecies };

interface Change {
  readonly scientificName: string;
  /** null withdraws the review */
  readonly said: ReviewStatement | null;
}

const bodyOf = (said: ReviewStatement) =>
  said.verdict === 'corrected' ? { verdict: said.verdict, to: said.to.scientificName } : { verdict: said.verdict };

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
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  const { data } = useQuery({
    ...reviewsQuery(openHttp, localId, predictionId),
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
 * The review of one bird. A choice shows at once as being saved, and as a review only once the server has acknowledged it. Choices
 * for one prediction are sent one after the other, so that the last one wins.
 *
 * @param given the prediction's initial reviews
 */
export function useReview(predictionId: string, scientificName: string, given: readonly BirdReview[] | undefined) {
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const { localId } = useAuthSnapshot().state;
  const { queryKey } = reviewsQuery(openHttp, localId, predictionId);
  const mutationKey = queryKey;
  const acknowledged = useReviews(predictionId, given);
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Change,
  }).findLast((change) => change.scientificName === scientificName);
  const { mutate, error, reset } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    mutationFn: async ({ said }: Change) => sendReview(await openHttp(), predictionId, scientificName, said && bodyOf(said)),
    async onSuccess(reviews) {
      // A read that is still running would return older data.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, reviews);
      if (localId !== null) keepReviews(localId, predictionId, reviews);
      void queries.invalidateQueries({
        queryKey: storedPredictionsKey(localId),
        predicate: (query) => !['reviews', 'one'].includes(String(query.queryKey[2])),
      });
    },
    // The request may have arrived nevertheless.
    onError: () => void queries.invalidateQueries({ queryKey }),
  });
  const known = acknowledged.find((review) => review.scientificName === scientificName);
  return {
    /** null: no review */
    said: pending ? pending.said : known ? saidOf(known) : null,
    isSaving: pending !== undefined,
    /** why the last choice was not saved */
    error,
    say(said: ReviewStatement | null) {
      reset();
      mutate({ scientificName, said });
    },
  };
}
