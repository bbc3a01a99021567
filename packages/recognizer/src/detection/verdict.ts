import { genusOf } from '../model/labels.ts';
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

/** What the verdict needs of a bird. */
type Ranked = Pick<AnswerCandidate, 'scientificName' | 'confidence' | 'assumed'>;

/**
 * Ranks birds. One from elsewhere comes after all that live at the assumed place and have a word if one of these is *likely* or of its
 * genus: then the place is more probably right than wrong.
 *
 * @param birds by descending confidence
 */
export function rankBirds<Bird extends Ranked>(birds: readonly Bird[], words: Calibration['words']): readonly Bird[] {
  const here = birds.filter(({ assumed, confidence }) => assumed === 'here' && confidence >= words.notSure);
  const last = here.at(-1)?.confidence ?? 1;
  const isBehind = ({ assumed, confidence, scientificName }: Bird): boolean =>
    assumed === 'elsewhere' &&
    confidence >= last &&
    here.some((bird) => bird.confidence >= words.likely || genusOf(bird.scientificName) === genusOf(scientificName));
  const behind = birds.filter(isBehind);
  const rest = birds.filter((bird) => !behind.includes(bird));
  const place = rest.findLastIndex(({ confidence }) => confidence >= last) + 1;
  return [...rest.slice(0, place), ...behind, ...rest.slice(place)];
}

/** The birds that the verdict names: those of the sentence, and all that are at least *perhaps* there, except from elsewhere. */
export function namedOf<Bird extends Ranked>(ranked: readonly Bird[], tied: boolean, words: Calibration['words']): Bird[] {
  return ranked.filter(
    ({ confidence, assumed }, index) => index < (tied ? 2 : 1) || (confidence >= words.perhaps && assumed !== 'elsewhere'),
  );
}

/** @param ranked only the first two matter */
export function verdictKindOf(
  ranked: readonly (Pick<AnswerCandidate, 'confidence'> & Partial<Pick<AnswerCandidate, 'assumed'>>)[],
  tied: boolean,
  words: Calibration['words'],
): VerdictKind {
  const best = ranked[0]?.confidence ?? 0;
  if (best < words.notSure) return 'noBird';
  if (tied || best < words.likely) return 'unsure';
  const [, second] = ranked;
  return second !== undefined && second.assumed !== 'elsewhere' && second.confidence >= words.likely ? 'several' : 'identified';
}
