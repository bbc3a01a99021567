import type { ConfidenceWord } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { words as lowest } from '../../../../models/birdnet-v2.4/calibration.json';
import { formatPercent } from './format.ts';

/** The words for confidence and the lowest confidence of each, the surest first. Below the last, no bird is named. */
export const wordThresholds: readonly { readonly word: Exclude<ConfidenceWord, 'none'>; readonly fromConfidence: number }[] = (
  ['veryLikely', 'likely', 'perhaps', 'notSure'] as const
).map((word) => ({ word, fromConfidence: lowest[word] }));

/** Confidence from which a bird is named beside others. */
export const namedFrom = lowest.likely;

/** The word for a confidence, for parts of an answer that carry only the number. */
export const wordFor = (confidence: number): ConfidenceWord =>
  wordThresholds.find(({ fromConfidence }) => confidence >= fromConfidence)?.word ?? 'none';

/**
 * Whole percent, and never a certainty that no test can show. Where rounding would lift the number to the next word's limit, it is
 * rounded down: a bird that is "Not sure" does not have the 50 % from which it would be "Perhaps".
 */
export function confidenceInPercent(confidence: number, t: TFunction, language: string): string {
  if (confidence > 0.99) return t('answer.over');
  if (confidence > 0 && confidence < 0.01) return t('answer.under');
  const nearest = Math.round(confidence * 100) / 100;
  const keepsWord = wordFor(nearest) === wordFor(confidence);
  return formatPercent(keepsWord ? nearest : Math.floor(confidence * 100) / 100, language);
}

/** From where to where a word reaches, in percent. */
export function percentRangeOf(word: ConfidenceWord): { readonly from: number; readonly to: number } {
  const at = wordThresholds.findIndex((each) => each.word === word);
  const percent = (index: number, otherwise: number) => Math.round((wordThresholds[index]?.fromConfidence ?? otherwise) * 100);
  // `none` has no place in the list: it reaches up to the last.
  return at < 0 ? { from: 0, to: percent(wordThresholds.length - 1, 0) } : { from: percent(at, 0), to: percent(at - 1, 1) };
}
