import type { BirdReview } from './bird-reviews.ts';
import type { Candidate, ConfidenceWord, NamedBird, NamedEntry, Prediction } from './prediction.ts';

/** Sure enough to be named without reservation. */
export const isLikely = (word: ConfidenceWord): boolean => word === 'veryLikely' || word === 'likely';

/** The confidence from which a meter fills its last square, above those of the words. */
export const NEARLY_CERTAIN = 0.97;

/** Sure enough to be named at all. */
export const isAtLeastPerhaps = (word: ConfidenceWord): boolean => isLikely(word) || word === 'perhaps';

/**
 * Lists birds as a verdict does: *likely* ones first, then *perhaps*, then the rest, each group in the order first heard.
 *
 * @param tied the first two by rank are one entry, heard first when one of them is
 */
export function entriesOf(birds: readonly NamedBird[], tied: boolean): readonly NamedEntry[] {
  const [first, second, ...others] = birds.toSorted((one, other) => one.rank - other.rank);
  const entries =
    tied && first !== undefined && second !== undefined
      ? [{ ...first, firstSeconds: Math.min(first.firstSeconds, second.firstSeconds), tiedWith: second }, ...others]
      : birds;
  return entries.toSorted(
    (one, other) => groupOf(one) - groupOf(other) || one.firstSeconds - other.firstSeconds || one.rank - other.rank,
  );
}

function groupOf({ confidenceWord }: NamedBird): number {
  if (isLikely(confidenceWord)) return 0;
  return confidenceWord === 'perhaps' ? 1 : 2;
}

/**
 * The birds that a verdict names, in its order and each of two that are tied by itself: every bird that is at least *perhaps* there, and
 * those of the sentence even if they are less sure.
 */
export function namedBirds({ verdict }: Pick<Prediction, 'verdict'>): readonly NamedBird[] {
  return verdict.named.flatMap(({ tiedWith, ...bird }) => (tiedWith === undefined ? [bird] : [bird, tiedWith]));
}

/** Whether a bird counts as found without a person's confirmation: not at an assumed place where it does not live. */
export const isFound = ({ assumed }: Pick<Candidate, 'assumed'>): boolean => assumed !== 'elsewhere';

/** Birds that a verdict does not name only because they do not live at the assumed place: they are likely if that is wrong. */
export function likelyElsewhere({ verdict, candidates }: Pick<Prediction, 'verdict' | 'candidates'>): readonly Candidate[] {
  const named = new Set(namedBirds({ verdict }).map(({ scientificName }) => scientificName));
  return candidates.filter((bird) => !isFound(bird) && isLikely(bird.confidenceWord) && !named.has(bird.scientificName));
}

/** Those of `namedBirds` that count for lists of birds heard: those found, but not the two of a tie. */
export function countedBirds(prediction: Pick<Prediction, 'verdict'>): readonly NamedBird[] {
  const { verdict } = prediction;
  const birds = namedBirds(prediction);
  const tied = new Set(verdict.tied ? birdsOfSentence(verdict, birds) : []);
  return birds.filter((bird) => isFound(bird) && !tied.has(bird));
}

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

/** The one bird that a verdict is about, and at least *perhaps* heard, if it is not expected at the assumed place; else undefined. */
export function birdFromElsewhere(prediction: Pick<Prediction, 'verdict'>): NamedBird | undefined {
  const [only, another] = birdsOfSentence(prediction.verdict, namedBirds(prediction));
  return only && !another && !isFound(only) && isAtLeastPerhaps(only.confidenceWord) ? only : undefined;
}

/** Whether a verdict is about all birds that it names, because none is likely; otherwise about `birdsOfSentence`. */
export const isAboutAll = ({ kind, tied, genus, named }: Prediction['verdict']): boolean =>
  kind === 'unsure' && !tied && genus === null && named.every(isFound);

/** Whether a review says that it was not this bird. */
export const isRefused = (review: Pick<BirdReview, 'verdict'> | undefined): boolean =>
  review?.verdict === 'rejected' || review?.verdict === 'corrected';

/** The species that a person names in a review; null for a rejected bird. */
export function reviewedAs({ verdict, scientificName, commonName, to, toCommonName }: BirdReview) {
  if (verdict === 'rejected') return null;
  return verdict === 'corrected' && to !== null
    ? { scientificName: to, commonName: toCommonName ?? to }
    : { scientificName, commonName };
}

/**
 * What a search in the history looks for, in names that have a space before each word: from three letters on anywhere (*meise* finds
 * *Kohlmeise*), else where a word begins.
 */
export const partOfName = (word: string): string => (word.length < 3 ? ` ${word}` : word);
