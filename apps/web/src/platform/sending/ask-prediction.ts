import type { AxiosInstance } from 'axios';
import { type ApiError, isProblem, toApiError } from '../api/api-error.ts';
import { type FollowOptions, followPrediction } from './follow-prediction.ts';
import { type Outcome, type PredictionRequest, requestPrediction, type SendOptions } from './request-prediction.ts';

export interface AskOptions extends SendOptions, Pick<FollowOptions, 'retryMs' | 'pollMs'> {
  /**
   * Whether the server keeps the prediction for an account. It can then be followed by its key, continues when the connection is lost, and
   * has to be cancelled explicitly.
   */
  readonly isKept: boolean;
}

/** Whether the server may be working on it, or continue later, although the call got no prediction. */
const mayGoOn = (error: ApiError): boolean =>
  error.kind === 'network' ||
  error.kind === 'aborted' ||
  error.kind === 'timeout' ||
  // A server that shuts down reports this to its callers, and continues the work after its restart.
  isProblem(error, 'SERVER_BUSY') ||
  (error.kind === 'unexpected' && (error.status ?? 0) >= 502);

/** Time that a proxy may take to pass on a body that the browser has sent; the most that the server waits. */
const ARRIVAL_SECONDS = 30;

/**
 * Sends a recording and waits for its outcome. If the connection is lost after the upload, follows the prediction by its key instead of
 * failing.
 */
export async function askPrediction(http: AxiosInstance, request: PredictionRequest, options: AskOptions): Promise<Outcome> {
  const { key, signal, onUploadProgress, onAnalysis, isKept, retryMs, pollMs } = options;
  const answered = new AbortController();
  const follow = (until: AbortSignal, unknown: Pick<FollowOptions, 'arrivalSeconds' | 'mostUnknown'>) =>
    followPrediction(http, key, { signal: until, onAnalysis, retryMs, pollMs, ...unknown });
  let isSent = false;
  // Otherwise the server would continue.
  if (isKept) signal.addEventListener('abort', () => void http.delete(`/v1/predictions/${key}`).catch(() => {}), { once: true });
  try {
    const prediction = await requestPrediction(http, request, {
      ...options,
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
    // Data still in transit is lost with the connection: the server then soon reports the key as unknown.
    return (await follow(signal, { mostUnknown: 2 })) ?? { kind: 'failed', error };
  } finally {
    answered.abort();
  }
}
