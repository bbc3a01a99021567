import { isLikely, type LookAlike, type NamedBird, occurrenceRemark } from '@chiffchaff/contract';
import type { SimilarBird } from '@chiffchaff/recognizer';
import type { ConfusedBird } from './confusions.ts';

/** Whether a bird needs a second look: it is less than *likely*, or not expected at the place. */
export const needsLookAlike = (bird: Pick<NamedBird, 'confidenceWord' | 'occurrenceWord' | 'unusualHere'>): boolean =>
  !isLikely(bird.confidenceWord) || occurrenceRemark(bird) !== null;

/**
 * The bird that another is easily taken for: of those it was confused with in tests, the one confused most often, weighted by how likely
 * each is at the place; where there is none, the next best of the same passage.
 *
 * @param confused in tests, without birds that are not known from the place
 * @param occurrenceOf a label; 1 without a place
 */
export function findLookAlike(
  confused: readonly ConfusedBird[],
  alsoSoundsLike: SimilarBird | null,
  occurrenceOf: (label: number) => number,
): (Pick<LookAlike, 'reason' | 'recordings' | 'confidence' | 'best'> & { readonly label: number }) | null {
  const weightOf = ({ label, recordings }: ConfusedBird): number => recordings * occurrenceOf(label);
  const [most] = confused.toSorted((one, other) => weightOf(other) - weightOf(one) || one.label - other.label);
  if (most !== undefined) return { reason: 'confusedInTests', ...most };
  return alsoSoundsLike && { reason: 'soundsAlike', ...alsoSoundsLike };
}
