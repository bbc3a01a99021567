import type { Prediction } from '@chiffchaff/contract';
import type { QueryClient } from '@tanstack/react-query';
import { isAxiosError } from 'axios';
import type { OpenHttp } from '../../../platform/api/open-http.ts';
import { reviewsQuery, withReviews } from '../answer/reviews/reviews-query.ts';
import type { QueueEntry } from './prediction-queue.ts';

interface Account {
  readonly openHttp: OpenHttp;
  readonly queries: QueryClient;
  readonly localId: string | null;
}

/**
 * The predictions of a queue with their current reviews, from whichever page. One that the account has since deleted is returned
 * unchanged.
 *
 * @throws AxiosError, ZodError
 */
export async function readAnswers(
  entries: readonly QueueEntry[],
  { openHttp, queries, localId }: Account,
): Promise<readonly Prediction[]> {
  const read = async (prediction: Prediction): Promise<Prediction> => {
    try {
      return withReviews(prediction, await queries.fetchQuery(reviewsQuery(openHttp, localId, prediction.id)));
    } catch (error) {
      if (isAxiosError(error) && error.response?.status === 404) return prediction;
      throw error;
    }
  };
  return Promise.all(
    entries.flatMap(({ state, isKept }) => (state.kind === 'done' ? [isKept ? read(state.result) : state.result] : [])),
  );
}
