import type { Prediction } from '@chiffchaff/contract';
import { type ApiError, toApiError } from '../../platform/api-error.ts';
import { flagsOf, idle, type PredictionAction, type PredictionState, reducePrediction } from './prediction-state.ts';
import type { PredictionRequest, RequestOptions } from './request-prediction.ts';

/** How a request is sent; resolves with the answer. */
export type SendPrediction = (request: PredictionRequest, options: RequestOptions) => Promise<Prediction>;

/** What the screen shows: where the prediction stands and what was asked. */
export interface PredictionJobSnapshot {
  readonly state: PredictionState;
  /** The request under way, answered or cancelled: what a person asked last. */
  readonly request: PredictionRequest | null;
}

/** One prediction at a time, outside of any component, so that looking something up on another screen does not lose it. */
export interface PredictionJob {
  snapshot(): PredictionJobSnapshot;
  subscribe(listener: () => void): () => void;
  /** Sends the recording. While one is on its way this does nothing: there is no double submission. */
  submit(request: PredictionRequest, send: SendPrediction): void;
  /** Stops the request and returns to idle; what was asked stays, to be changed and sent again. */
  cancel(): void;
  /** The same, and forgets what was asked. */
  reset(): void;
}

/** @param logFailure hears of every failure: the specification asks for a line in the console */
export function createPredictionJob(logFailure: (error: ApiError) => void): PredictionJob {
  const listeners = new Set<() => void>();
  let current: PredictionJobSnapshot = { state: idle, request: null };
  let controller: AbortController | null = null;

  const change = (next: PredictionJobSnapshot) => {
    current = next;
    for (const listener of listeners) listener();
  };
  const dispatch = (action: PredictionAction) => {
    const state = reducePrediction(current.state, action);
    if (state !== current.state) change({ ...current, state });
  };

  async function run(request: PredictionRequest, send: SendPrediction, signal: AbortSignal): Promise<void> {
    const unlessReset = (action: PredictionAction) => {
      if (!signal.aborted) dispatch(action);
    };
    try {
      const onUploadProgress = (progress: number) => unlessReset({ type: 'uploadProgress', progress });
      unlessReset({ type: 'success', result: await send(request, { signal, onUploadProgress }) });
    } catch (thrown) {
      if (signal.aborted) return; // the person stopped it; that is no failure
      const error = toApiError(thrown);
      logFailure(error);
      dispatch({ type: 'failure', error });
    }
  }

  function backToIdle(request: PredictionRequest | null): void {
    controller?.abort();
    controller = null;
    change({ state: reducePrediction(current.state, { type: 'reset' }), request });
  }

  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    submit(request, send) {
      if (flagsOf(current.state).loading) return;
      controller = new AbortController();
      change({ state: reducePrediction(current.state, { type: 'start' }), request });
      void run(request, send, controller.signal);
    },
    cancel: () => backToIdle(current.request),
    reset: () => backToIdle(null),
  };
}
