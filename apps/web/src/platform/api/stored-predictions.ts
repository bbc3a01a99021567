import {
  type ExportFormat,
  type FailedPrediction,
  type PredictionInWork,
  predictionListSchema,
  predictionSchema,
  predictionsDeletedSchema,
  predictionsRestoredSchema,
  type SpectrogramQuery,
  storedPredictionSchema,
  ticketSchema,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import type { Coordinates } from '../sending/requested-conditions.ts';
import { ask, askBytes } from './ask.ts';

/*
 * API calls about the account's earlier predictions: each sends a request and checks the response. `use-stored-predictions.ts` caches the
 * results, and imports this file on first use.
 */

const pathOf = (id: string): string => `/v1/predictions/${encodeURIComponent(id)}`;

/** The account's recordings in the queue or being analysed at the last poll, whichever device sent them. */
export interface WorkInHand {
  readonly inWork: readonly PredictionInWork[];
  /** Recordings that failed within the last day and have not been dismissed. */
  readonly failed: readonly FailedPrediction[];
  /** Recordings that finished between two polls, latest first; at most `MOST_ENDED`. */
  readonly ended: readonly (Pick<PredictionInWork, 'id' | 'fileName'> & { readonly isAnswered: boolean })[];
}

/** More than fits on a screen; a tab may stay open for weeks while a recorder uploads. */
const MOST_ENDED = 50;

/** @param before the result of the last poll. @throws AxiosError, ZodError */
export async function readWorkInHand(http: AxiosInstance, before: WorkInHand | null, signal: AbortSignal): Promise<WorkInHand> {
  const { inWork, failed } = await ask(http, predictionListSchema, { url: '/v1/predictions', params: { limit: 1 }, signal });
  const gone = before?.inWork.filter(({ id }) => !inWork.some((one) => one.id === id)) ?? [];
  const outcomes = await Promise.all(
    gone.map(async ({ id, fileName }) => {
      try {
        const { state } = await readStoredPrediction(http, id, signal);
        return state === 'inWork' ? [] : [{ id, fileName, isAnswered: state === 'done' }];
      } catch {
        return []; // cancelled
      }
    }),
  );
  return { inWork, failed, ended: [...outcomes.flat(), ...(before?.ended ?? [])].slice(0, MOST_ENDED) };
}

export interface Town extends Coordinates {
  readonly name: string;
}

export interface PredictionFilter {
  /** Beginnings of words in names of species and files; empty for all. */
  readonly search: string;
  /** scientific name; null for all, as in the fields below */
  readonly species: string | null;
  /** first and last day on which it was recorded */
  readonly days: { readonly from: string; readonly to: string } | null;
  readonly near: Town | null;
  /** Only predictions with a confirmed species. */
  readonly isConfirmed: boolean;
  readonly language: string | null;
}

/** One page of predictions, newest first. @throws AxiosError, ZodError */
export function readPredictions(
  http: AxiosInstance,
  { search, species, days, near, isConfirmed, language }: Partial<PredictionFilter>,
  cursor: string | null,
  signal: AbortSignal,
) {
  // What is null or missing is left out.
  const where = { latitude: near?.latitude, longitude: near?.longitude };
  const params = {
    limit: 30,
    cursor,
    search: search || null,
    species,
    ...days,
    ...where,
    confirmed: isConfirmed || null,
    language,
  };
  return ask(http, predictionListSchema, { url: '/v1/predictions', params, signal });
}

/** The account's latest prediction for a file with this hash, if any. @param sha256 hexadecimal. @throws AxiosError, ZodError */
export async function findSentBefore(http: AxiosInstance, sha256: string, signal: AbortSignal) {
  const found = await ask(http, predictionListSchema, { url: '/v1/predictions', params: { limit: 1, sha256 }, signal });
  return found.predictions[0] ?? null;
}

/** The spectrogram of a stretch of kept audio. @throws AxiosError */
export const readStrip = (http: AxiosInstance, id: string, params: SpectrogramQuery, signal: AbortSignal) =>
  askBytes(http, { url: `${pathOf(id)}/spectrogram`, params, signal });

/** @throws AxiosError, ZodError */
export const readStoredPrediction = (http: AxiosInstance, id: string, signal: AbortSignal) =>
  ask(http, storedPredictionSchema, { url: pathOf(id), signal });

/** Returns a prediction to its first conditions. @returns the first prediction. @throws AxiosError, ZodError */
export const restoreConditions = (http: AxiosInstance, id: string) =>
  ask(http, predictionSchema, { method: 'DELETE', url: `${pathOf(id)}/conditions` });

/**
 * Deletes a prediction, or cancels one in progress.
 *
 * @param id null: all of them
 * @returns how many, and until when they can be restored, in milliseconds since 1970; null when nothing can
 * @throws AxiosError, ZodError
 */
export async function deletePrediction(http: AxiosInstance, id: string | null) {
  const { data, headers } = await http.delete<unknown>(id === null ? '/v1/predictions' : pathOf(id));
  const { deleted, restorableUntil } = predictionsDeletedSchema.parse(data);
  // Clocks differ, so the deadline is measured from the response's `Date` header, which has whole seconds, rounded down.
  const answeredAtMs = Date.parse(String(headers.date ?? '')) + 1000;
  const aheadMs = Number.isNaN(answeredAtMs) ? 0 : Date.now() - answeredAtMs;
  return { deleted, restorableUntilMs: restorableUntil === null ? null : Date.parse(restorableUntil) + aheadMs };
}

/** Restores what was deleted recently. @param id null: everything that can be restored. @returns how many. @throws AxiosError, ZodError */
export const restorePrediction = async (http: AxiosInstance, id: string | null): Promise<number> =>
  (await ask(http, predictionsRestoredSchema, { method: 'POST', url: `${id === null ? '/v1/predictions' : pathOf(id)}/restore` }))
    .restored;

/**
 * An address at which the browser can save everything as a ZIP, valid for five minutes. The tables are safe to open in a spreadsheet.
 *
 * @throws AxiosError, ZodError
 */
export async function exportAddress(http: AxiosInstance): Promise<string> {
  const { url } = await ask(http, ticketSchema, { method: 'POST', url: '/v1/predictions/ticket' });
  return http.getUri({ url, params: { excelSafe: true } });
}

/** An address at which the browser can save a table of all detections of one prediction, valid as long. @throws AxiosError, ZodError */
export async function tableAddress(http: AxiosInstance, id: string, format: ExportFormat): Promise<string> {
  const { url } = await ask(http, ticketSchema, { method: 'POST', url: `${pathOf(id)}/ticket`, data: { purpose: 'export' } });
  return http.getUri({ url: `${url}&format=${format}&showHidden=true&excelSafe=true` });
}
