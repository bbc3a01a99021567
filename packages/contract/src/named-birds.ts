import type { ConfidenceWord, Prediction } from './prediction.ts';

interface RankedBird {
  readonly scientificName: string;
  readonly confidenceWord: ConfidenceWord;
}

/**
 * Of the birds that come with a verdict, those that it names. The verdict lists them; a prediction stored before it did is read by its
 * kind and words.
 *
 * @param birds by falling confidence
 * @returns one, the tied two, or several in the order in which they are first heard
 */
export function namedBirds<Bird extends RankedBird>(
  { kind, tied, named }: Pick<Prediction['verdict'], 'kind' | 'tied' | 'named'>,
  birds: readonly Bird[],
): readonly Bird[] {
  if (named) return named.flatMap(({ scientificName }) => birds.find((bird) => bird.scientificName === scientificName) ?? []);
  if (kind === 'noBird') return [];
  if (kind === 'several') return birds.filter(({ confidenceWord }) => ['veryLikely', 'likely'].includes(confidenceWord));
  return birds.slice(0, tied ? 2 : 1);
}
