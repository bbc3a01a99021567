import type { AxiosInstance } from 'axios';
import { type ApiError, toApiError } from '../api/api-error.ts';
import { type FollowOptions, followPrediction } from './follow-prediction.ts';
import { type Outcome, type PredictionRequest, requestPrediction, type SendOptions } from './request-prediction.ts';

export interface AskOptions extends SendOptions, Pick<FollowOptions, 'retryMs' | 'pollMs'> {
  /** Whether the server keeps the work for an account: then it can be followed by its key, goes on when the connection is lost, and has to be stopped by a word. */
  readonly isKept: boolean;
}

/** Whether the server may be working, or go on with it, although the call got no answer from it. */
const mayGoOn = (error: ApiError): boolean =>
  error.kind === 'network' ||
  error.kind === 'aborted' ||
  error.kind === 'timeout' ||
  // A server that stops says so to its callers, and goes on with the work when it has started again.
  (error.kind === 'problem' && error.problem.code === 'SERVER_BUSY') ||
  (error.kind === 'unexpected' && (error.status ?? 0) >= 502);

/** As long as a proxy may take to pass on what the browser has handed to it; the most that the server waits. */
const ARRIVAL_SECONDS = 30;

/** Sends a recording and waits for its outcome. A connection that is lost once all is sent is no failure: the answer is asked for by the key. */
export async function askPrediction(http: AxiosInstance, request: PredictionRequest, options: AskOptions): Promise<Outcome> {
  const { key, signal, onUploadProgress, onListening, isKept, pieces, retryMs, pollMs } = options;
  const answered = new AbortController();
  const pace = { ...(retryMs && { retryMs }), ...(pollMs && { pollMs }) };
  const follow = (until: AbortSignal, unknown: Pick<FollowOptions, 'arrivalSeconds' | 'mostUnknown'>) =>
    followPrediction(http, key, { signal: until, onListening, ...pace, ...unknown });
  let isSent = false;
  // Otherwise the server would go on with it.
  if (isKept) signal.addEventListener('abort', () => void http.delete(`/v1/predictions/${key}`).catch(() => {}), { once: true });
  try {
    const prediction = await requestPrediction(http, request, {
      key,
      signal,
      inPieces: isKept,
      ...(pieces && { pieces }),
      onUploadProgress(progress) {
        onUploadProgress(progress);
        if (progress < 1 || isSent) return;
        isSent = true;
        if (isKept) void follow(AbortSignal.any([signal, answered.signal]), { arrivalSeconds: ARRIVAL_SECONDS });
      },
    });
    return { kind: 'answered', prediction };
  } catch (thrown) {
    const error = toApiError(thrown);
    answered.abort();
    if (!isKept || !isSent || signal.aborted || !mayGoOn(error)) return { kind: 'failed', error };
    // What was still on the way is lost with the line: then the server soon knows nothing of it.
    return (await follow(signal, { mostUnknown: 2 })) ?? { kind: 'failed', error };
  } finally {
    answered.abort();
  }
}
