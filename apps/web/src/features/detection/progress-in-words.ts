import type { TFunction } from 'i18next';
import { analysisInWords, percentInWords } from '../../platform/format/progress-words.ts';
import type { PredictionState } from './prediction-state.ts';

/** `idle`: it waits behind other recordings. */
export type UnfinishedState = Extract<PredictionState, { kind: 'idle' | 'uploading' | 'listening' }>;

export function progressInWords(state: UnfinishedState, t: TFunction, language: string): string {
  if (state.kind === 'idle') return t('queue.waiting');
  if (state.kind === 'uploading') return t('progress.uploading', { percent: percentInWords(state.progress, language) });
  return analysisInWords(state.report, t, language);
}
