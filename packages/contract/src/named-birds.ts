import type { Candidate, ConfidenceWord, NamedBird, Prediction } from './prediction.ts';

/** Sure enough to be named without reservation. */
export const isLikely = (word: ConfidenceWord): boolean => word === 'veryLikely' || word === 'likely';

/**
 * The birds that a verdict names, in the order first heard: every bird that is at least *perhaps* there, and those of the sentence even if
 * they are less sure. Older answers do not list whole birds; for them, as many as their candidates include.
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
 * The birds, among those that a verdict names, that its sentence is about.
 *
 * @returns one, the tied two by rank, or all that are likely, in the given order
 */
export function birdsOfSentence<Bird extends Pick<Candidate, 'rank' | 'confidenceWord'>>(
  { kind, tied }: Pick<Prediction['verdict'], 'kind' | 'tied'>,
  named: readonly Bird[],
): readonly Bird[] {
  if (kind === 'several') return named.filter(({ confidenceWord }) => isLikely(confidenceWord));
  return named.toSorted((one, other) => one.rank - other.rank).slice(0, tied ? 2 : 1);
}
