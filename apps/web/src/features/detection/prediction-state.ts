import type { Prediction } from '@chiffchaff/contract';
import type { Translate } from '../../languages/i18n.ts';
import type { ApiError } from '../../platform/api/api-error.ts';
import { analysisInWords, percentInWords } from '../../platform/format/progress-words.ts';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';

/** State of one prediction. `result` is the whole response; `first` is the original one while `result` is for other conditions. */
export type PredictionState =
  | { readonly kind: 'idle' }
  /** `progress` is the fraction of the recording that this device has searched for speech, 0–1. */
  | { readonly kind: 'checking'; readonly progress: number }
  /** `progress` is the fraction of the recording that has been sent, 0–1. */
  | { readonly kind: 'uploading'; readonly progress: number }
  /** `report` is null until the server has reported any progress. */
  | { readonly kind: 'listening'; readonly report: AnalysisReport | null }
  | { readonly kind: 'done'; readonly result: Prediction; readonly first?: Prediction }
  | { readonly kind: 'failed'; readonly error: ApiError };

export type PredictionAction =
  | { readonly type: 'start' }
  | { readonly type: 'speechCheck'; readonly progress: number }
  | { readonly type: 'uploadProgress'; readonly progress: number }
  | { readonly type: 'listenProgress'; readonly report: AnalysisReport }
  | { readonly type: 'success'; readonly result: Prediction }
  | { readonly type: 'failure'; readonly error: ApiError }
  | { readonly type: 'reconsidered'; readonly result: Prediction }
  | { readonly type: 'reset' };

export const idle: PredictionState = { kind: 'idle' };

const isLoading = ({ kind }: PredictionState): boolean => kind === 'checking' || kind === 'uploading' || kind === 'listening';

/** The specification's flags, derived from the state so that they cannot contradict each other. */
export function flagsOf(state: PredictionState): { readonly loading: boolean; readonly failed: boolean; readonly done: boolean } {
  const failed = state.kind === 'failed';
  return { loading: isLoading(state), failed, done: failed || state.kind === 'done' };
}

function withOther({ result, first = result }: Extract<PredictionState, { kind: 'done' }>, other: Prediction): PredictionState {
  return other === first ? { kind: 'done', result: first } : { kind: 'done', result: other, first };
}

/** The specification's prediction actions. Those for a request that was reset or has ended change nothing. */
export function reducePrediction(state: PredictionState, action: PredictionAction): PredictionState {
  switch (action.type) {
    case 'start':
      return { kind: 'uploading', progress: 0 };
    case 'speechCheck':
      return isLoading(state) ? { kind: 'checking', progress: action.progress } : state;
    case 'uploadProgress':
      if (state.kind !== 'uploading' && state.kind !== 'checking') return state;
      return action.progress >= 1 ? { kind: 'listening', report: null } : { kind: 'uploading', progress: action.progress };
    case 'listenProgress':
      return isLoading(state) ? { kind: 'listening', report: action.report } : state;
    case 'success':
      return isLoading(state) ? { kind: 'done', result: action.result } : state;
    case 'failure':
      return isLoading(state) ? { kind: 'failed', error: action.error } : state;
    case 'reconsidered':
      return state.kind === 'done' ? withOther(state, action.result) : state;
    case 'reset':
      return idle;
  }
}

/** `idle`: it waits behind other recordings. */
export type UnfinishedState = Extract<PredictionState, { kind: 'idle' | 'checking' | 'uploading' | 'listening' }>;

export function progressInWords(state: UnfinishedState, t: Translate, language: string): string {
  if (state.kind === 'idle') return t('queue.waiting');
  if (state.kind === 'checking') return t('local.speech.looking');
  if (state.kind === 'uploading') return t('progress.uploading', { percent: percentInWords(state.progress, language) });
  return analysisInWords(state.report, t, language);
}
