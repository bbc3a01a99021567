import {
  type Correction,
  type CorrectionBody,
  correctionsSchema,
  type FoundSpecies,
  foundSpeciesSchema,
  type Prediction,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

const pathOf = (predictionId: string): string => `/v1/predictions/${encodeURIComponent(predictionId)}/corrections`;

/** Reads all corrections of a prediction. @throws AxiosError, ZodError */
export async function readCorrections(
  http: AxiosInstance,
  predictionId: string,
  signal: AbortSignal,
): Promise<readonly Correction[]> {
  return correctionsSchema.parse((await http.get<unknown>(pathOf(predictionId), { signal })).data).corrections;
}

/** @param body null withdraws the correction. @returns all corrections of the prediction. @throws AxiosError, ZodError */
export async function sendCorrection(
  http: AxiosInstance,
  predictionId: string,
  scientificName: string,
  body: CorrectionBody | null,
): Promise<readonly Correction[]> {
  const path = `${pathOf(predictionId)}/${encodeURIComponent(scientificName)}`;
  const { data } = await (body === null ? http.delete<unknown>(path) : http.put<unknown>(path, body));
  return correctionsSchema.parse(data).corrections;
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
