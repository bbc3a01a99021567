import type { Correction, Prediction } from '@chiffchaff/contract';
import { queryOptions } from '@tanstack/react-query';
import { readCorrections } from '../../../../platform/api/corrections.ts';
import type { OpenHttp } from '../../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';

/** So long after it was read, it is asked again: another tab or device may have changed it. */
const FRESH_MS = 3000;

/** What is said about the birds of a prediction, as far as the server has acknowledged it. */
export const correctionsQuery = (openHttp: OpenHttp, localId: string | null, predictionId: string) =>
  queryOptions({
    queryKey: storedPredictionsKey(localId, 'corrections', predictionId),
    queryFn: async ({ signal }) => readCorrections(await openHttp(), predictionId, signal),
    staleTime: FRESH_MS,
    // An answer of this visit is opened again as it came, before anything was said.
    gcTime: Number.POSITIVE_INFINITY,
  });

/** An answer with what has been said about its birds by now. */
export function withCorrections(prediction: Prediction, corrections: readonly Correction[]): Prediction {
  const { corrections: _, ...answer } = prediction;
  return corrections.length === 0 ? answer : { ...answer, corrections: [...corrections] };
}
