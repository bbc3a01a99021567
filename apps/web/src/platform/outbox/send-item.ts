import type { AxiosInstance } from 'axios';
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
 * the same key again.
 */
export async function sendItem(http: AxiosInstance, item: StoredItem, file: File, options: ItemOptions): Promise<Outcome> {
  const { signal, onAnalysis, onUploadUrl } = options;
  const { key, question, keepAudio = null } = item;
  if (item.wasTried) {
    const known = await followPrediction(http, key, { signal, onAnalysis, retryMs: [], mostUnknown: 1 });
    const mayBeSentAgain = known?.kind === 'failed' && known.error.kind === 'problem' && known.error.problem.retryable;
    if (known && !mayBeSentAgain) return known;
  }
  const pieces = { url: item.uploadUrl, onUrl: onUploadUrl };
  const timeZone = question.place ? null : question.timeZone;
  const request = { ...question, timeZone, file, keepAudio, listeningCopy: false, isForDevice: false };
  return askPrediction(http, request, { ...options, key, isKept: true, pieces });
}
