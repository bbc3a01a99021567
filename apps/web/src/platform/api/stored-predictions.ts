import {
  type ExportFormat,
  type HeardSpecies,
  heardSpeciesSchema,
  type PredictionDays,
  type PredictionFailed,
  type PredictionInWork,
  type PredictionList,
  type PredictionSummary,
  predictionDaysSchema,
  predictionListSchema,
  predictionsDeletedSchema,
  predictionsRestoredSchema,
  type SpectrogramQuery,
  type StoredPrediction,
  storedPredictionSchema,
  ticketSchema,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

/*
 * Calls about what an account has asked earlier. They are read and checked here; for what becomes of the answers see
 * `use-stored-predictions.ts`, which fetches this file when the first is made.
 */

const pathOf = (id: string): string => `/v1/predictions/${encodeURIComponent(id)}`;

/** Recordings of an account that were queued or analysed at the last look, wherever they were sent from. */
export interface WorkInHand {
  readonly inWork: readonly PredictionInWork[];
  /** What came to no answer within the last day and has not been dismissed. */
  readonly failed: readonly PredictionFailed[];
  /** What has come to its end between two looks, the latest first: `MOST_ENDED` of them at most. */
  readonly ended: readonly (Pick<PredictionInWork, 'id' | 'fileName'> & { readonly isAnswered: boolean })[];
}

/** More than a page shows at a glance; a tab may stay open for weeks beside a recorder that sends. */
const MOST_ENDED = 50;

/** @param before what the last look found. @throws AxiosError, ZodError */
export async function readWorkInHand(http: AxiosInstance, before: WorkInHand | null, signal: AbortSignal): Promise<WorkInHand> {
  const { data } = await http.get<unknown>('/v1/predictions', { params: { limit: 1 }, signal });
  const { inWork, failed } = predictionListSchema.parse(data);
  const gone = before?.inWork.filter(({ id }) => !inWork.some((one) => one.id === id)) ?? [];
  const outcomes = await Promise.all(
    gone.map(async ({ id, fileName }) => {
      try {
        const { state } = await readStoredPrediction(http, id, signal);
        return state === 'inWork' ? [] : [{ id, fileName, isAnswered: state === 'done' }];
      } catch {
        return []; // it was cancelled
      }
    }),
  );
  return { inWork, failed, ended: [...outcomes.flat(), ...(before?.ended ?? [])].slice(0, MOST_ENDED) };
}

export interface Town {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface Wanted {
  /** Beginnings of words in names of species and files; empty for all. */
  readonly search: string;
  /** scientific name; null for all, as with what follows */
  readonly species: string | null;
  /** of the recording, the first and the last */
  readonly days: { readonly from: string; readonly to: string } | null;
  readonly near: Town | null;
  /** Only those of which a bird was confirmed. */
  readonly isConfirmed: boolean;
  readonly language: string | null;
}

/** A page of answers, the newest first. @throws AxiosError, ZodError */
export async function readPredictions(
  http: AxiosInstance,
  { search, species, days, near, isConfirmed, language }: Wanted,
  cursor: string | null,
  signal: AbortSignal,
): Promise<PredictionList> {
  const params = {
    limit: 30,
    ...(cursor && { cursor }),
    ...(search && { search }),
    ...(species && { species }),
    ...days,
    ...(near && { latitude: near.latitude, longitude: near.longitude }),
    ...(isConfirmed && { confirmed: true }),
    ...(language && { language }),
  };
  const { data } = await http.get<unknown>('/v1/predictions', { params, signal });
  return predictionListSchema.parse(data);
}

/** The latest answer of this account that was made of a file, if there is one. @param sha256 hexadecimal. @throws AxiosError, ZodError */
export async function findSentBefore(
  http: AxiosInstance,
  sha256: string,
  signal: AbortSignal,
): Promise<PredictionSummary | null> {
  const { data } = await http.get<unknown>('/v1/predictions', { params: { limit: 1, sha256 }, signal });
  return predictionListSchema.parse(data).predictions[0] ?? null;
}

/** @throws AxiosError, ZodError */
export async function readDays(http: AxiosInstance, signal: AbortSignal): Promise<PredictionDays['days']> {
  const { data } = await http.get<unknown>('/v1/predictions/days', { signal });
  return predictionDaysSchema.parse(data).days;
}

/** What a stretch of kept sound looks like. @throws AxiosError */
export async function readStrip(
  http: AxiosInstance,
  id: string,
  query: SpectrogramQuery,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { data } = await http.get<ArrayBuffer>(`${pathOf(id)}/spectrogram`, {
    params: query,
    responseType: 'arraybuffer',
    signal,
  });
  return new Uint8Array(data);
}

/** @throws AxiosError, ZodError */
export async function readHeardSpecies(
  http: AxiosInstance,
  language: string | null,
  signal: AbortSignal,
): Promise<HeardSpecies['species']> {
  const { data } = await http.get<unknown>('/v1/predictions/species', { params: language ? { language } : {}, signal });
  return heardSpeciesSchema.parse(data).species;
}

/** @throws AxiosError, ZodError */
export async function readStoredPrediction(http: AxiosInstance, id: string, signal: AbortSignal): Promise<StoredPrediction> {
  const { data } = await http.get<unknown>(pathOf(id), { signal });
  return storedPredictionSchema.parse(data);
}

interface Deletion {
  readonly deleted: number;
  /** milliseconds since 1970; null when nothing can be restored */
  readonly restorableUntilMs: number | null;
}

/** Deletes an answer, or cancels work. @param id null: everything. @throws AxiosError, ZodError */
export async function deletePrediction(http: AxiosInstance, id: string | null): Promise<Deletion> {
  const { data, headers } = await http.delete<unknown>(id === null ? '/v1/predictions' : pathOf(id));
  const { deleted, restorableUntil } = predictionsDeletedSchema.parse(data);
  // Clocks differ: what counts is how much later than the answer it is. The header has whole seconds, rounded down.
  const answeredAtMs = Date.parse(String(headers.date ?? '')) + 1000;
  const aheadMs = Number.isNaN(answeredAtMs) ? 0 : Date.now() - answeredAtMs;
  return { deleted, restorableUntilMs: restorableUntil === null ? null : Date.parse(restorableUntil) + aheadMs };
}

/** Brings back what was deleted a moment ago. @param id null: all that can be. @returns how many. @throws AxiosError, ZodError */
export async function restorePrediction(http: AxiosInstance, id: string | null): Promise<number> {
  const { data } = await http.post<unknown>(id === null ? '/v1/predictions/restore' : `${pathOf(id)}/restore`);
  return predictionsRestoredSchema.parse(data).restored;
}

/** An address from which the browser can save everything as a ZIP, for five minutes; for people, so safe for a spreadsheet. @throws AxiosError, ZodError */
export async function exportAddress(http: AxiosInstance): Promise<string> {
  const { data } = await http.post<unknown>('/v1/predictions/ticket');
  return http.getUri({ url: ticketSchema.parse(data).url, params: { excelSafe: true } });
}

/** An address from which the browser can save a table of all passages of one answer, for as long. @throws AxiosError, ZodError */
export async function tableAddress(http: AxiosInstance, id: string, format: ExportFormat): Promise<string> {
  const { data } = await http.post<unknown>(`${pathOf(id)}/ticket`, { purpose: 'export' });
  return http.getUri({ url: `${ticketSchema.parse(data).url}&format=${format}&showHidden=true&excelSafe=true` });
}
