import type { ConfidenceWord } from '@chiffchaff/contract';

/** The words for confidence and the lowest confidence of each, the surest first. Below the last, no bird is named. */
export const wordThresholds: readonly { readonly word: Exclude<ConfidenceWord, 'none'>; readonly fromConfidence: number }[] = [
  { word: 'veryLikely', fromConfidence: 0.9 },
  { word: 'likely', fromConfidence: 0.7 },
  { word: 'perhaps', fromConfidence: 0.5 },
  { word: 'notSure', fromConfidence: 0.25 },
];

/** The word for a confidence, for parts of an answer that carry only the number. */
export const wordFor = (confidence: number): ConfidenceWord =>
  wordThresholds.find(({ fromConfidence }) => confidence >= fromConfidence)?.word ?? 'none';
