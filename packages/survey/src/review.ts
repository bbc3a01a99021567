import type { ReviewedSpeciesBody } from '@chiffchaff/contract';
import { detectionKey, judge, type Label } from './labels.ts';
import type { ListedDetection } from './read/listed-detection.ts';
import { fitThreshold } from './thresholds/fit-thresholds.ts';
import { broadPrior, inputOf, type LabelledScore, learnPrior, type Prior } from './thresholds/posterior.ts';

/** A detection that can be labelled. */
export type ReviewedDetection = Pick<
  ListedDetection,
  'file' | 'startSeconds' | 'endSeconds' | 'scientificName' | 'commonName' | 'confidence'
>;

/** Settings of a review. */
export interface ReviewOptions {
  /** share of the detections kept that should be right, 0–1 */
  readonly target: number;
  /** returns a random number from 0 to below 1 */
  readonly chance: () => number;
}

/** The next detection is one of this many nearest to the confidence at which a label tells most. */
const NEAREST = 8;

interface Species {
  readonly commonName: string;
  /** indices into the list of detections, by falling confidence */
  readonly ids: readonly number[];
  readonly confidences: readonly number[];
}

/**
 * Chooses what to label next, and says how well the threshold of each species is known.
 *
 * It asks about a species where a label tells most about the precision at its threshold (`askNext`), until that is known to ± 5 points. It
 * learns the prior of all labelled species anew whenever it turns to another species.
 *
 * @param detections each once; their indices are their ids
 */
export function createReview(detections: readonly ReviewedDetection[], { target, chance }: ReviewOptions) {
  const species = speciesOf(detections);
  const idsByKey = new Map(detections.map((detection, id) => [detectionKey(detection), id]));
  const given: Label[] = [];
  let labelled = new Set<number>();
  let judged = new Map<string, LabelledScore[]>();
  let unsure = new Map<string, number>();
  let prior: Prior = broadPrior;
  let currentSpecies: string | null = null;
  const fits = new Map<string, ReturnType<typeof fitThreshold>>();

  const count = (): void => {
    labelled = new Set();
    judged = new Map();
    unsure = new Map();
    for (const [key, { verdict }] of judge(given)) {
      const id = idsByKey.get(key);
      const detection = id === undefined ? undefined : detections[id];
      if (id === undefined || detection === undefined) continue;
      labelled.add(id);
      const { scientificName, confidence } = detection;
      if (verdict === 'unsure') unsure.set(scientificName, (unsure.get(scientificName) ?? 0) + 1);
      else judged.set(scientificName, [...(judged.get(scientificName) ?? []), { confidence, isRight: verdict === 'yes' }]);
    }
  };
  const fitOf = (name: string, { confidences }: Species) => {
    const known = fits.get(name) ?? fitThreshold(judged.get(name) ?? [], confidences, { prior, target });
    fits.set(name, known);
    return known;
  };
  const switchTo = (name: string): void => {
    if (currentSpecies === name) return;
    currentSpecies = name;
    prior = learnPrior([...judged.values()]);
    fits.delete(name);
  };
  const standing = (scientificName: string, own: Species): ReviewedSpeciesBody => {
    const { commonName, ids } = own;
    const isUsedUp = ids.every((id) => labelled.has(id));
    const counts = { detections: ids.length, unsure: unsure.get(scientificName) ?? 0 };
    // Few of hundreds of species are reviewed, and a fit takes 30 ms.
    if (!judged.has(scientificName)) {
      const nothing = { labels: 0, right: 0, threshold: null, precision: null, precisionInterval: null };
      return { scientificName, commonName, ...counts, ...nothing, needsLabels: true, isKnown: false, isDone: isUsedUp };
    }
    const { labels, right, threshold, outcome, precision, precisionInterval, isKnown } = fitOf(scientificName, own);
    const found = {
      labels,
      right,
      threshold,
      needsLabels: outcome === 'not enough labels',
      precision,
      precisionInterval,
      isKnown,
    };
    return { scientificName, commonName, ...counts, ...found, isDone: isKnown || isUsedUp };
  };

  /** An unlabelled detection near where a label tells most, at random among the nearest. */
  const chooseOf = (name: string, own: Species, held: ReadonlySet<number>): number | null => {
    const { askNext } = fitOf(name, own);
    const wanted = inputOf(askNext ?? 0.5);
    const open = own.ids.filter((id) => !labelled.has(id) && !held.has(id));
    const distance = (id: number): number => Math.abs(inputOf(detections[id]?.confidence ?? 0) - wanted);
    let from = open.findIndex((id) => inputOf(detections[id]?.confidence ?? 0) <= wanted);
    if (from < 0) from = open.length;
    const near = open
      .slice(Math.max(0, from - NEAREST), from + NEAREST)
      .sort((one, other) => distance(one) - distance(other))
      .slice(0, NEAREST);
    return near[Math.floor(chance() * near.length)] ?? null;
  };

  return {
    /** All detected species, those with the most detections first. */
    species: (): ReviewedSpeciesBody[] => [...species].map(([name, own]) => standing(name, own)),
    /** Progress of one species; null for one that was not detected. */
    standingOf(name: string): ReviewedSpeciesBody | null {
      const own = species.get(name);
      return own ? standing(name, own) : null;
    },
    /**
     * The detection to show next.
     *
     * @param wanted the species; null for the first that is not done
     * @param held ids of detections that already wait to be labelled
     * @returns its id; null when none is left
     */
    next(wanted: string | null, held: ReadonlySet<number>): number | null {
      const name = wanted ?? [...species].find(([each, own]) => !standing(each, own).isDone)?.[0];
      const own = name === undefined ? undefined : species.get(name);
      if (name === undefined || own === undefined) return null;
      switchTo(name);
      return chooseOf(name, own, held);
    },
    /** Adds labels, whether or not the tables have their detections. */
    add(...more: readonly Label[]): void {
      given.push(...more);
      count();
      for (const { scientificName } of more) fits.delete(scientificName);
    },
    /** Removes a label. */
    remove(id: string): void {
      const at = given.findIndex((label) => label.id === id);
      const [removed] = at < 0 ? [] : given.splice(at, 1);
      count();
      if (removed) fits.delete(removed.scientificName);
    },
    /** The id of a label's detection; null when the tables do not have it. */
    idOf: (label: Pick<Label, 'file' | 'startSeconds' | 'endSeconds' | 'scientificName'>): number | null =>
      idsByKey.get(detectionKey(label)) ?? null,
  };
}

export type Review = ReturnType<typeof createReview>;

/** By falling number of detections. */
function speciesOf(detections: readonly ReviewedDetection[]): ReadonlyMap<string, Species> {
  const confidenceOf = (id: number): number => detections[id]?.confidence ?? 0;
  const ids = Map.groupBy(detections.keys(), (id) => detections[id]?.scientificName ?? '');
  return new Map(
    [...ids]
      .map(([name, own]): [string, Species] => {
        const falling = own.sort((one, other) => confidenceOf(other) - confidenceOf(one));
        const commonName = detections[falling[0] ?? 0]?.commonName ?? '';
        return [name, { commonName, ids: falling, confidences: falling.map(confidenceOf) }];
      })
      .sort(([oneName, one], [otherName, other]) => other.ids.length - one.ids.length || (oneName < otherName ? -1 : 1)),
  );
}
