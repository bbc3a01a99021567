import type { Calibration } from '../model/manifest.ts';
import type { AnswerCandidate, ConfidenceWord, VerdictKind } from './answer.ts';

/** The word that a confidence is told by. */
export function confidenceWordOf(confidence: number, words: Calibration['words']): ConfidenceWord {
  if (confidence >= words.veryLikely) return 'veryLikely';
  if (confidence >= words.likely) return 'likely';
  if (confidence >= words.perhaps) return 'perhaps';
  if (confidence >= words.notSure) return 'notSure';
  return 'none';
}

/** Too close to call: the first two are about as sure as each other, and heard best in the same passage. */
export function isTied(
  first: { readonly confidence: number; readonly passage: number } | undefined,
  second: { readonly confidence: number; readonly passage: number } | undefined,
  tie: Calibration['tie'],
): boolean {
  return (
    first !== undefined &&
    second !== undefined &&
    first.confidence - second.confidence < tie.difference &&
    second.confidence >= tie.minConfidence &&
    first.passage === second.passage
  );
}

/** @param ranked candidates by falling confidence; as many as are likely must be among them */
export function verdictKindOf(
  ranked: readonly Pick<AnswerCandidate, 'confidence'>[],
  tied: boolean,
  words: Calibration['words'],
): VerdictKind {
  const best = ranked[0]?.confidence ?? 0;
  if (best < words.notSure) return 'noBird';
  if (tied || best < words.likely) return 'unsure';
  return (ranked[1]?.confidence ?? 0) >= words.likely ? 'several' : 'identified';
}
