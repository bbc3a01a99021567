import {
  type BirdReview,
  type BirdReviewBody,
  birdReviewsSchema,
  type FoundSpecies,
  foundSpeciesSchema,
  type Prediction,
  toSeasonDegrees,
} from '@chiffchaff/contract';
import { queryOptions } from '@tanstack/react-query';
import type { AxiosInstance } from 'axios';
import type { AccountApi } from '../session/session-context.tsx';
import { ask } from './ask.ts';
import type { SeasonPlace } from './species.ts';
import { storedPredictionsKey } from './use-stored-predictions.ts';

const pathOf = (predictionId: string): string => `/v1/predictions/${encodeURIComponent(predictionId)}/reviews`;

/** Refetched after this long: another tab or device may have changed it. */
const FRESH_MS = 3000;

/** The reviews of a prediction, as acknowledged by the server. */
export const reviewsQuery = ({ openHttp, localId }: AccountApi, predictionId: string) =>
  queryOptions({
    queryKey: storedPredictionsKey(localId, 'reviews', predictionId),
    async queryFn({ signal }): Promise<readonly BirdReview[]> {
      return (await ask(await openHttp(), birdReviewsSchema, { url: pathOf(predictionId), signal })).reviews;
    },
    staleTime: FRESH_MS,
    // Reopening a prediction of this visit starts from its initial state, without reviews.
    gcTime: Number.POSITIVE_INFINITY,
  });

/** A prediction with its current reviews. */
export function withReviews(prediction: Prediction, reviews: readonly BirdReview[]): Prediction {
  const { reviews: _, ...answer } = prediction;
  return reviews.length === 0 ? answer : { ...answer, reviews: [...reviews] };
}

/** @param body null withdraws the review. @returns all reviews of the prediction. @throws AxiosError, ZodError */
export async function sendReview(
  http: AxiosInstance,
  predictionId: string,
  scientificName: string,
  body: BirdReviewBody | null,
): Promise<readonly BirdReview[]> {
  const url = `${pathOf(predictionId)}/${encodeURIComponent(scientificName)}`;
  return (await ask(http, birdReviewsSchema, body === null ? { method: 'DELETE', url } : { method: 'PUT', url, data: body }))
    .reviews;
}

/** Where a bird was heard, according to its prediction. */
export type HeardAt = Pick<Prediction['conditions'], 'latitude' | 'longitude' | 'timeZone'>;

/** Coordinates are rounded before they leave this device. */
export function heardAround(where: SeasonPlace | null): HeardAt {
  const at = where === null || 'timeZone' in where ? null : where;
  return {
    latitude: at && toSeasonDegrees(at.latitude),
    longitude: at && toSeasonDegrees(at.longitude),
    timeZone: where !== null && 'timeZone' in where ? where.timeZone : null,
  };
}

/** Species that the model knows, best match first, those of the place before others. @throws AxiosError, ZodError */
export async function findSpecies(
  http: AxiosInstance,
  words: string,
  language: string | null,
  { latitude, longitude, timeZone }: HeardAt,
  signal: AbortSignal,
): Promise<readonly FoundSpecies[]> {
  const place = latitude === null ? timeZone && { timeZone } : { latitude, longitude };
  const params = { q: words, ...(language && { language }), ...place };
  return (await ask(http, foundSpeciesSchema, { url: '/v1/species/search', params, signal })).species;
}
