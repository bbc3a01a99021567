import {
  type BirdReview,
  type BirdReviewBody,
  birdReviewsSchema,
  type FoundSpecies,
  foundSpeciesSchema,
  type Prediction,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

const pathOf = (predictionId: string): string => `/v1/predictions/${encodeURIComponent(predictionId)}/reviews`;

/** Reads all reviews of a prediction. @throws AxiosError, ZodError */
export async function readReviews(
  http: AxiosInstance,
  predictionId: string,
  signal: AbortSignal,
): Promise<readonly BirdReview[]> {
  return birdReviewsSchema.parse((await http.get<unknown>(pathOf(predictionId), { signal })).data).reviews;
}

/** @param body null withdraws the review. @returns all reviews of the prediction. @throws AxiosError, ZodError */
export async function sendReview(
  http: AxiosInstance,
  predictionId: string,
  scientificName: string,
  body: BirdReviewBody | null,
): Promise<readonly BirdReview[]> {
  const path = `${pathOf(predictionId)}/${encodeURIComponent(scientificName)}`;
  const { data } = await (body === null ? http.delete<unknown>(path) : http.put<unknown>(path, body));
  return birdReviewsSchema.parse(data).reviews;
}

/** Where a bird was heard, according to its prediction. */
export type HeardAt = Pick<Prediction['conditions'], 'latitude' | 'longitude' | 'timeZone'>;

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
  return foundSpeciesSchema.parse((await http.get<unknown>('/v1/species/search', { params, signal })).data).species;
}
