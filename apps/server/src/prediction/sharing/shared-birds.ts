import type { Stretch } from '@chiffchaff/analysis';
import {
  type BirdReview,
  type Candidate,
  isFound,
  type KeptAudio,
  NEARLY_CERTAIN,
  namedBirds,
  type Prediction,
  regionsToSay,
  reviewedAs,
  type SharedBird,
} from '@chiffchaff/contract';

/** A bird that is shown, and where in the recording it is heard best. */
export interface ShownBird extends Omit<SharedBird, 'clip'> {
  /** null where the answer does not say */
  readonly best: Stretch | null;
}

/**
 * The birds found in a result, after its owner's reviews: rejected ones are left out, corrected ones are replaced, and confirmed
 * and added ones are shown, however unsure the answer was.
 */
export function shownBirds(
  answer: Pick<Prediction, 'verdict' | 'candidates' | 'hiddenByLocation'>,
  reviews: readonly BirdReview[],
): readonly ShownBird[] {
  const said = new Map(reviews.map((review) => [review.scientificName, review]));
  const shown = new Map<string, ShownBird>();
  const named = namedBirds(answer).filter(isFound);
  for (const bird of named) {
    const review = said.get(bird.scientificName);
    if (review === undefined) add(shown, asNamed(bird, false));
    else for (const one of asSaid(review, bird)) add(shown, one);
  }
  const { candidates, hiddenByLocation, verdict } = answer;
  const others: readonly Candidate[] = [
    ...candidates,
    ...(verdict.notExpectedHere ? [verdict.notExpectedHere] : []),
    ...hiddenByLocation,
  ];
  for (const review of reviews) {
    if (named.some(({ scientificName }) => scientificName === review.scientificName)) continue;
    const bird = others.find(({ scientificName }) => scientificName === review.scientificName);
    for (const one of asSaid(review, bird ?? null)) add(shown, one);
  }
  return [...shown.values()];
}

/** Reviews may turn two birds of an answer into the same one. */
function add(shown: Map<string, ShownBird>, bird: ShownBird): void {
  const known = shown.get(bird.scientificName);
  shown.set(bird.scientificName, known === undefined ? bird : { ...known, confirmed: known.confirmed || bird.confirmed });
}

const asNamed = (bird: Candidate, confirmed: boolean): ShownBird => ({
  scientificName: bird.scientificName,
  commonName: bird.commonName,
  confidenceWord: bird.confidenceWord,
  nearlyCertain: bird.confidence >= NEARLY_CERTAIN,
  confirmed,
  regions: confirmed ? [] : regionsToSay(bird),
  best: bird.best,
});

function asSaid(review: BirdReview, bird: Candidate | null): readonly ShownBird[] {
  const names = reviewedAs(review);
  if (names === null) return [];
  if (bird?.scientificName === names.scientificName) return [asNamed(bird, true)];
  return [{ ...names, confidenceWord: null, nearlyCertain: false, confirmed: true, regions: [], best: bird?.best ?? null }];
}

/** Seconds before and after, so that it is heard to begin and end. */
const MARGIN_SECONDS = 2;
const MOST_SECONDS = 12;
/** Shorter stretches contain no song. */
const LEAST_SECONDS = 0.5;

/** The stretch around a bird that can be played: only within what is kept of the recording; null if nothing of it is. */
export function clipOf(
  best: Stretch | null,
  kept: Pick<KeptAudio, 'kind' | 'moments'> | undefined,
  durationSeconds: number,
): Stretch | null {
  if (best === null || kept === undefined) return null;
  const stretches = kept.kind === 'recording' ? [{ startSeconds: 0, endSeconds: durationSeconds }] : (kept.moments ?? []);
  const heardIn = (home: Stretch): number => lengthOf(within(best, home));
  const [home] = stretches.toSorted((one, other) => heardIn(other) - heardIn(one));
  if (home === undefined || heardIn(home) <= 0) return null;
  const around = { startSeconds: best.startSeconds - MARGIN_SECONDS, endSeconds: best.endSeconds + MARGIN_SECONDS };
  const { startSeconds, endSeconds } = within(around, home);
  const clip = { startSeconds, endSeconds: Math.min(endSeconds, startSeconds + MOST_SECONDS) };
  return lengthOf(clip) < LEAST_SECONDS ? null : clip;
}

const lengthOf = ({ startSeconds, endSeconds }: Stretch): number => endSeconds - startSeconds;
const within = (one: Stretch, other: Stretch): Stretch => ({
  startSeconds: Math.max(one.startSeconds, other.startSeconds),
  endSeconds: Math.min(one.endSeconds, other.endSeconds),
});
