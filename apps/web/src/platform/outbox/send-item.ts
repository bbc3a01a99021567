import type { BirdReview } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { toApiError } from '../api/api-error.ts';
import { sendReview, withReviews } from '../api/bird-reviews.ts';
import { askPrediction } from '../sending/ask-prediction.ts';
import { followPrediction } from '../sending/follow-prediction.ts';
import type { Outcome, SendOptions } from '../sending/request-prediction.ts';
import type { StoredItem } from './outbox-store.ts';

export interface ItemOptions extends Omit<SendOptions, 'key' | 'pieces'> {
  readonly onUploadUrl: (url: string) => void;
}

/**
 * Sends an item of the outbox and waits for its prediction. An item that was tried before may have arrived, so its prediction is requested
 * first; the recording is sent again only if the server does not know it, or if what kept the server from answering is over: then it analyses
 * the same key again. What the person said of its birds while they sang follows.
 */
export async function sendItem(http: AxiosInstance, item: StoredItem, file: File, options: ItemOptions): Promise<Outcome> {
  const { signal, onAnalysis, onUploadUrl } = options;
  const { key, question, keepAudio = null } = item;
  if (item.wasTried) {
    const known = await followPrediction(http, key, { signal, onAnalysis, retryMs: [], mostUnknown: 1 });
    const mayBeSentAgain = known?.kind === 'failed' && known.error.kind === 'problem' && known.error.problem.retryable;
    if (known && !mayBeSentAgain) return review(http, known, item.prediction.reviews);
  }
  const pieces = { url: item.uploadUrl, onUrl: onUploadUrl };
  const timeZone = question.place ? null : question.timeZone;
  const request = { ...question, timeZone, file, keepAudio, listeningCopy: false, isForDevice: false };
  const outcome = await askPrediction(http, request, { ...options, key, isKept: true, pieces });
  return review(http, outcome, item.prediction.reviews);
}

/** To add a bird that the server names, too, confirms it; rejecting one that it does not name is refused, and not needed. */
async function review(http: AxiosInstance, outcome: Outcome, said: readonly BirdReview[] = []): Promise<Outcome> {
  if (outcome.kind === 'failed') return outcome;
  let { prediction } = outcome;
  for (const { scientificName, verdict } of said) {
    try {
      const body = { verdict: verdict === 'rejected' ? verdict : 'added' } as const;
      prediction = withReviews(prediction, await sendReview(http, prediction.id, scientificName, body));
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind !== 'problem' || error.problem.retryable) return { kind: 'failed', error };
    }
  }
  return { ...outcome, prediction };
}
