import type { Candidate, ConfidenceWord, NamedBird, Prediction } from './prediction.ts';

/** Sure enough to be said without a question mark. */
export const isLikely = (word: ConfidenceWord): boolean => word === 'veryLikely' || word === 'likely';

/**
 * The birds that a verdict names, in the order in which they are first heard: every bird that is at least *perhaps* there, and what the
 * sentence is about where that is less sure. Of an answer of before it listed them whole, as many as its candidates tell.
 */
export function namedBirds({ verdict, candidates }: Pick<Prediction, 'verdict' | 'candidates'>): readonly NamedBird[] {
  const { kind, tied, named } = verdict;
  if (named?.every(isWhole)) return named;
  if (kind === 'noBird') return [];
  const inSentence = tied ? 2 : 1;
  return candidates
    .filter(({ rank, confidenceWord }) => rank <= inSentence || isLikely(confidenceWord) || confidenceWord === 'perhaps')
    .map((candidate) => ({ ...candidate, firstSeconds: candidate.best.startSeconds }))
    .toSorted((one, other) => one.firstSeconds - other.firstSeconds);
}

const isWhole = (bird: object): bird is NamedBird => 'firstSeconds' in bird;

/**
 * Of the birds that a verdict names, those that its sentence is about.
 *
 * @returns one, the tied two by rank, or all that are likely in the order given
 */
export function birdsOfSentence<Bird extends Pick<Candidate, 'rank' | 'confidenceWord'>>(
  { kind, tied }: Pick<Prediction['verdict'], 'kind' | 'tied'>,
  named: readonly Bird[],
): readonly Bird[] {
  if (kind === 'several') return named.filter(({ confidenceWord }) => isLikely(confidenceWord));
  return named.toSorted((one, other) => one.rank - other.rank).slice(0, tied ? 2 : 1);
}
