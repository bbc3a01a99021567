import type { Calibration } from '../model/manifest.ts';
import type { AnswerCandidate, ConfidenceWord, VerdictKind } from './answer.ts';

/** The word for a confidence. */
export function confidenceWordOf(confidence: number, words: Calibration['words']): ConfidenceWord {
  if (confidence >= words.veryLikely) return 'veryLikely';
  if (confidence >= words.likely) return 'likely';
  if (confidence >= words.perhaps) return 'perhaps';
  if (confidence >= words.notSure) return 'notSure';
  return 'none';
}

/** One of the first two birds: its confidence, the passage where that is highest, and its loudest clip there. */
interface Rival {
  readonly confidence: number;
  readonly passage: number;
  readonly clip: number;
}

/**
 * Whether the first two birds are too close to call, possibly two names for one sound: about equally confident, and most confident
 * in the same passage.
 *
 * Names for one sound share its confidence. Of 1,123 recordings of one species each, 15 come this close: in none are both *likely*,
 * and in the only one in which both are *perhaps*, they are loudest in the same clip. Of 80 recordings of two species, overlaid or
 * joined, four come this close: in three, both are *perhaps* and loudest in different clips.
 */
export function isTied(
  first: Rival | undefined,
  second: Rival | undefined,
  { tie, words }: Pick<Calibration, 'tie' | 'words'>,
): boolean {
  if (first === undefined || second === undefined || first.passage !== second.passage) return false;
  if (first.confidence - second.confidence >= tie.difference || second.confidence < tie.minConfidence) return false;
  return second.confidence < words.perhaps || (second.confidence < words.likely && first.clip === second.clip);
}

/** @param ranked candidates by descending confidence; only the first two matter */
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
