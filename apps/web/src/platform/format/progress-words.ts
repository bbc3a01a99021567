import type { PredictionInWork } from '@chiffchaff/contract';
import type { Translate } from '../../languages/i18n.ts';
import { formatPercent } from './format.ts';

/** Progress in percent, 0–100, rounded down: the same number in bars, in text and for screen readers. */
export const wholePercent = (share: number): number => Math.floor(share * 100);

export const percentInWords = (share: number, language: string): string => formatPercent(wholePercent(share) / 100, language);

/** The server's progress with a recording, in words. @param report null until the server has reported any */
export function analysisInWords(
  report: Pick<PredictionInWork, 'stage' | 'fraction' | 'behindOthers'> | null,
  t: Translate,
  language: string,
): string {
  if (report?.stage === 'queued') return t(report.behindOthers ? 'progress.behindOthers' : 'progress.queued');
  const fraction = report?.fraction ?? null;
  return fraction === null
    ? t('progress.listening')
    : t('progress.listeningPercent', { percent: percentInWords(fraction, language) });
}
