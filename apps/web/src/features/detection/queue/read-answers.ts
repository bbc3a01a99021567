import type { Prediction } from '@chiffchaff/contract';
import type { QueryClient } from '@tanstack/react-query';
import { isAxiosError } from 'axios';
import { reviewsQuery, withReviews } from '../../../platform/api/bird-reviews.ts';
import type { AccountApi } from '../../../platform/session/session-context.tsx';
import type { QueueEntry } from './prediction-queue.ts';

/**
 * The predictions of a queue with their current reviews, from whichever page. One that the account has since deleted is returned
 * unchanged.
 *
 * @throws AxiosError, ZodError
 */
export async function readAnswers(
  entries: readonly QueueEntry[],
  queries: QueryClient,
  api: AccountApi,
): Promise<readonly Prediction[]> {
  const read = async (prediction: Prediction): Promise<Prediction> => {
    try {
      return withReviews(prediction, await queries.fetchQuery(reviewsQuery(api, prediction.id)));
    } catch (error) {
      if (isAxiosError(error) && error.response?.status === 404) return prediction;
      throw error;
    }
  };
  return Promise.all(
    entries.flatMap(({ state, isKept }) => (state.kind === 'done' ? [isKept ? read(state.result) : state.result] : [])),
  );
}
