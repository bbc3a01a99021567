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

/** One of the first two birds: how sure, the passage where it is surest, and the clip of that where it is loudest. */
interface Rival {
  readonly confidence: number;
  readonly passage: number;
  readonly clip: number;
}

/**
 * Too close to call: two names for what may be one sound. The first two are about as sure as each other, and surest in the same passage.
 *
 * Names for one sound share its confidence. Of 1,123 recordings of one species each, 15 come so close: in none are both *likely*, and in the
 * one in which both are *perhaps* they are loudest in the same clip. Of 80 made of two species, laid over each other or joined, four come so
 * close: in three both are *perhaps*, and loudest in different clips.
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
