import type { Correction, Prediction } from '@chiffchaff/contract';
import { queryOptions } from '@tanstack/react-query';
import { readCorrections } from '../../../../platform/api/corrections.ts';
import type { OpenHttp } from '../../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';

/** Refetched after this long: another tab or device may have changed it. */
const FRESH_MS = 3000;

/** The corrections of a prediction, as acknowledged by the server. */
export const correctionsQuery = (openHttp: OpenHttp, localId: string | null, predictionId: string) =>
  queryOptions({
    queryKey: storedPredictionsKey(localId, 'corrections', predictionId),
    queryFn: async ({ signal }) => readCorrections(await openHttp(), predictionId, signal),
    staleTime: FRESH_MS,
    // Reopening a prediction of this visit starts from its initial state, without corrections.
    gcTime: Number.POSITIVE_INFINITY,
  });

/** A prediction with its current corrections. */
export function withCorrections(prediction: Prediction, corrections: readonly Correction[]): Prediction {
  const { corrections: _, ...answer } = prediction;
  return corrections.length === 0 ? answer : { ...answer, corrections: [...corrections] };
}
