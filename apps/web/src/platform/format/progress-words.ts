import type { PredictionInWork } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatPercent } from './format.ts';

/** How much of something is done, 0–100, rounded down: the one number that bars show, words say and screen readers are told. */
export const wholePercent = (share: number): number => Math.floor(share * 100);

export const percentInWords = (share: number, language: string): string => formatPercent(wholePercent(share) / 100, language);

/** How far the server is with a recording, in words. @param report null while the server has not said anything */
export function listeningInWords(
  report: Pick<PredictionInWork, 'stage' | 'fraction' | 'behindOthers'> | null,
  t: TFunction,
  language: string,
): string {
  if (report?.stage === 'queued') return t(report.behindOthers ? 'progress.behindOthers' : 'progress.queued');
  const fraction = report?.fraction ?? null;
  return fraction === null
    ? t('progress.listening')
    : t('progress.listeningPercent', { percent: percentInWords(fraction, language) });
}
