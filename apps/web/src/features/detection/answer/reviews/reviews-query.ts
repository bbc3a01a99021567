import type { BirdReview, Prediction } from '@chiffchaff/contract';
import { queryOptions } from '@tanstack/react-query';
import { readReviews } from '../../../../platform/api/bird-reviews.ts';
import type { OpenHttp } from '../../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';

/** Refetched after this long: another tab or device may have changed it. */
const FRESH_MS = 3000;

/** The reviews of a prediction, as acknowledged by the server. */
export const reviewsQuery = (openHttp: OpenHttp, localId: string | null, predictionId: string) =>
  queryOptions({
    queryKey: storedPredictionsKey(localId, 'reviews', predictionId),
    queryFn: async ({ signal }) => readReviews(await openHttp(), predictionId, signal),
    staleTime: FRESH_MS,
    // Reopening a prediction of this visit starts from its initial state, without reviews.
    gcTime: Number.POSITIVE_INFINITY,
  });

/** A prediction with its current reviews. */
export function withReviews(prediction: Prediction, reviews: readonly BirdReview[]): Prediction {
  const { reviews: _, ...answer } = prediction;
  return reviews.length === 0 ? answer : { ...answer, reviews: [...reviews] };
}
