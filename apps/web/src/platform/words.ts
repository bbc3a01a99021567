import type { ConfidenceWord } from '@chiffchaff/contract';
import { words as lowest } from '../../../../models/birdnet-v2.4/calibration.json';

/** The words for confidence and the lowest confidence of each, the surest first. Below the last, no bird is named. */
export const wordThresholds: readonly { readonly word: Exclude<ConfidenceWord, 'none'>; readonly fromConfidence: number }[] = (
  ['veryLikely', 'likely', 'perhaps', 'notSure'] as const
).map((word) => ({ word, fromConfidence: lowest[word] }));

/** The word for a confidence, for parts of an answer that carry only the number. */
export const wordFor = (confidence: number): ConfidenceWord =>
  wordThresholds.find(({ fromConfidence }) => confidence >= fromConfidence)?.word ?? 'none';

/** From where to where a word reaches, in percent. */
export function percentRangeOf(word: ConfidenceWord): { readonly from: number; readonly to: number } {
  const at = wordThresholds.findIndex((each) => each.word === word);
  const percent = (index: number, otherwise: number) => Math.round((wordThresholds[index]?.fromConfidence ?? otherwise) * 100);
  // `none` has no place in the list: it reaches up to the last.
  return at < 0 ? { from: 0, to: percent(wordThresholds.length - 1, 0) } : { from: percent(at, 0), to: percent(at - 1, 1) };
}
