import {
  birdsOfSentence,
  type Candidate,
  type Detection,
  isAboutAll,
  isFound,
  likelyElsewhere,
  type NamedBird,
  namedBirds,
  type Prediction,
  regionsToSay,
  reviewedAs,
} from '@chiffchaff/contract';
import type { Translate } from '../../../../languages/i18n.ts';
import type { Span } from '../../../../platform/format/format.ts';
import { regionNames } from '../../../../platform/format/region-names.ts';
import { birdsSaid } from '../../../../ui/reviews/reviewed-name.tsx';

/** A bird of a recording, with everything that its row shows. */
export interface ListedBird {
  readonly scientificName: string;
  readonly commonName: string;
  /** Its result for the whole recording; null for a bird that was only detected. Hidden by location, it is the one without a place. */
  readonly candidate: Candidate | null;
  /** By location, or it does not live at the assumed place. */
  readonly isHidden: boolean;
  /** in the prediction's order */
  readonly detections: readonly Detection[];
  /** When it is first heard: its first detection, or without one the first of its clips. */
  readonly firstSeconds: number;
  /** Its best moment: the best passage of the analysis, as far as the bird was detected in it. */
  readonly best: Span;
}

/** The birds of a recording in the order of the page. */
export interface ListedBirds {
  /** The headline is about them. */
  readonly main: readonly ListedBird[];
  /** Their owner says that they were heard, though this result does not name them. */
  readonly said: readonly ListedBird[];
  /** Perhaps there, too, or likely if the assumed place is wrong. */
  readonly besides: readonly ListedBird[];
  /** Too faint to be named, then those hidden by location, each the surest first; shown on request. */
  readonly lessLikely: readonly ListedBird[];
}

const byFirst = (one: ListedBird, other: ListedBird): number => one.firstSeconds - other.firstSeconds;

/**
 * Lists every bird of a prediction once: named ones in the order in which they are first heard.
 *
 * @param reviews those that count here, if not all of them: a bird should not move while it is being reviewed
 */
export function listBirds(prediction: Prediction, { reviews }: Pick<Prediction, 'reviews'> = prediction): ListedBirds {
  const { verdict, candidates, hiddenByLocation, detections } = prediction;
  const detectionsOf = Map.groupBy(detections, ({ scientificName }) => scientificName);
  const listed = (candidate: Candidate & Partial<Pick<NamedBird, 'firstSeconds'>>, isHiddenHere = false): ListedBird => {
    const { scientificName, commonName, best, firstSeconds: firstClip = best.startSeconds } = candidate;
    const own = detectionsOf.get(scientificName) ?? [];
    const firstSeconds = own.reduce((first, { startSeconds }) => Math.min(first, startSeconds), Number.POSITIVE_INFINITY);
    return {
      ...{ scientificName, commonName, candidate, detections: own, isHidden: isHiddenHere || !isFound(candidate) },
      best: bestOf(own, best),
      firstSeconds: own.length === 0 ? firstClip : firstSeconds,
    };
  };

  const named = namedBirds(prediction);
  const inSentence = new Set(isAboutAll(verdict) ? named : birdsOfSentence(verdict, named));
  const elsewhere = verdict.notExpectedHere ? [listed(verdict.notExpectedHere, true)] : [];
  const main = named.filter((bird) => inSentence.has(bird)).map((bird) => listed(bird));
  const besides = [...named.filter((bird) => !inSentence.has(bird)), ...likelyElsewhere(prediction)].map((bird) => listed(bird));

  const mentioned = new Set([...elsewhere, ...main, ...besides].map(({ scientificName }) => scientificName));
  const rest = new Map<string, ListedBird>();
  const mention = (bird: ListedBird) => {
    if (!mentioned.has(bird.scientificName) && !rest.has(bird.scientificName)) rest.set(bird.scientificName, bird);
  };
  for (const candidate of hiddenByLocation) mention(listed(candidate, true));
  for (const candidate of candidates) mention(listed(candidate));
  for (const [scientificName, own] of detectionsOf) {
    const best = surestOf(own);
    if (best === null) continue;
    mention({
      ...{ scientificName, commonName: best.commonName, candidate: null, best, detections: own },
      isHidden: best.hidden,
      firstSeconds: Math.min(...own.map(({ startSeconds }) => startSeconds)),
    });
  }
  const said = birdsSaid({ reviews }).flatMap((review) => {
    // Added birds have a list of their own. Without its row, a bird is found where another was corrected to it.
    if (review.verdict === 'added' || mentioned.has(review.scientificName)) return [];
    const bird = rest.get(review.scientificName) ?? rest.get(reviewedAs(review)?.scientificName ?? '');
    return bird && rest.delete(bird.scientificName) ? bird : [];
  });
  return {
    main: [...elsewhere, ...main.toSorted(byFirst)],
    said: said.toSorted(byFirst),
    besides: besides.toSorted(byFirst),
    lessLikely: [...rest.values()].toSorted(
      (one, other) => Number(one.isHidden) - Number(other.isHidden) || bySureness(one, other),
    ),
  };
}

/** Other birds may be heard in the rest of a passage. Without a detection in it, the best moment is the surest detection. */
function bestOf(detections: readonly Detection[], passage: Span): Span {
  const within = detections.flatMap(({ startSeconds, endSeconds, confidence }) => {
    const from = Math.max(startSeconds, passage.startSeconds);
    const to = Math.min(endSeconds, passage.endSeconds);
    return from < to ? [{ startSeconds: from, endSeconds: to, confidence }] : [];
  });
  return surestOf(within) ?? surestOf(detections) ?? passage;
}

function surestOf<T extends Pick<Detection, 'confidence'>>(detections: readonly T[]): T | null {
  const [first, ...others] = detections;
  return first ? others.reduce((surest, one) => (one.confidence > surest.confidence ? one : surest), first) : null;
}

const surestDetection = ({ detections }: ListedBird): number => surestOf(detections)?.confidence ?? 0;

/** Surest first; birds that were only detected come last, by their best detection. */
export const bySureness = (one: ListedBird, other: ListedBird): number =>
  (other.candidate?.confidence ?? -1) - (one.candidate?.confidence ?? -1) || surestDetection(other) - surestDetection(one);

/** Columns of an activity strip: for an hour, each is two and a half minutes. */
export const ACTIVITY_COLUMNS = 24;

/** Counts the detections that reach into each column of the recording. */
export function activityOf(detections: readonly Detection[], durationSeconds: number): readonly number[] {
  const columns = new Array<number>(ACTIVITY_COLUMNS).fill(0);
  const columnSeconds = durationSeconds / ACTIVITY_COLUMNS;
  const columnAt = (seconds: number) => Math.min(ACTIVITY_COLUMNS - 1, Math.max(0, Math.floor(seconds / columnSeconds)));
  for (const { startSeconds, endSeconds } of detections) {
    // A detection that ends exactly between two columns does not count for the second one.
    const last = columnAt(Math.max(startSeconds, endSeconds - 1e-6));
    for (let column = columnAt(startSeconds); column <= last; column++) columns[column] = (columns[column] ?? 0) + 1;
  }
  return columns;
}

/** `regionsToSay`, in the interface's language; null if there are none. */
export const livesIn = (bird: Candidate, t: Translate, language: string): string | null =>
  regionNames(regionsToSay(bird), t, language) || null;
