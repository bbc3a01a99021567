import { detectionKey, judge, type Label } from '../labels/labels.ts';
import { fitThreshold } from '../thresholds/fit-thresholds.ts';
import { broadPrior, inputOf, type Judged, learnPrior, type Prior } from '../thresholds/posterior.ts';
import type { Interval } from '../thresholds/threshold.ts';

/** A detection that can be labelled. */
export interface ReviewedDetection {
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  readonly commonName: string;
  /** 0–1 */
  readonly confidence: number;
}

/** How far the review of a species is. */
export interface ReviewedSpecies {
  readonly scientificName: string;
  readonly commonName: string;
  readonly detections: number;
  /** that say yes or no */
  readonly labels: number;
  /** that say yes */
  readonly right: number;
  readonly unsure: number;
  /** confidence from which on detections are right often enough; null where none is expected to be, or nothing is labelled */
  readonly threshold: number | null;
  /** expected share of right ones from there on, or among the surest; null where nothing is labelled */
  readonly precision: number | null;
  readonly precisionInterval: Interval | null;
  readonly isKnown: boolean;
  /** Its precision is known well enough, or there is nothing left to label. */
  readonly isDone: boolean;
}

/** What the review goes through. */
export interface ReviewOptions {
  /** share of the detections kept that is to be right, 0–1 */
  readonly target: number;
  /** a number from 0 to below 1, by chance */
  readonly chance: () => number;
}

/** The prior of all species can make a precision look known before there are labels of its own. */
const LEAST_LABELS = 5;
/** Detections nearest to the confidence that tells most: one of them is shown. */
const NEAREST = 8;

interface Species {
  readonly commonName: string;
  /** places in the list of detections, by falling confidence */
  readonly ids: readonly number[];
  readonly confidences: readonly number[];
}

/**
 * Chooses what is labelled next, and says how well a threshold of each species is known.
 *
 * A species is asked about where a label tells most about the precision at its threshold (`askNext`), until that is known to ± 5 points.
 * What all labelled species together say is learned anew whenever another species is turned to.
 *
 * @param detections each once; their places in the list are their ids
 */
export function createReview(detections: readonly ReviewedDetection[], { target, chance }: ReviewOptions) {
  const species = speciesOf(detections);
  const idsByKey = new Map(detections.map((detection, id) => [detectionKey(detection), id]));
  const given: Label[] = [];
  let labelled = new Set<number>();
  let judged = new Map<string, Judged[]>();
  let unsure = new Map<string, number>();
  let prior: Prior = broadPrior;
  let turnedTo: string | null = null;
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
  const turnTo = (name: string): void => {
    if (turnedTo === name) return;
    turnedTo = name;
    prior = learnPrior([...judged.values()]);
    fits.delete(name);
  };
  const standing = (scientificName: string, own: Species): ReviewedSpecies => {
    const { commonName, ids } = own;
    const isUsedUp = ids.every((id) => labelled.has(id));
    const counts = { detections: ids.length, unsure: unsure.get(scientificName) ?? 0 };
    // Of hundreds of species few are reviewed: a fit takes 30 ms.
    if (!judged.has(scientificName)) {
      const nothing = { labels: 0, right: 0, threshold: null, precision: null, precisionInterval: null, isKnown: false };
      return { scientificName, commonName, ...counts, ...nothing, isDone: isUsedUp };
    }
    const { labels, right, threshold, precision, precisionInterval, ...fit } = fitOf(scientificName, own);
    const isKnown = fit.isKnown && labels >= LEAST_LABELS;
    const found = { labels, right, threshold, precision, precisionInterval, isKnown };
    return { scientificName, commonName, ...counts, ...found, isDone: isKnown || isUsedUp };
  };

  /** The unlabelled one nearest to where a label tells most, by chance among the nearest. */
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
    /** All species that were detected, those with most detections first. */
    species: (): ReviewedSpecies[] => [...species].map(([name, own]) => standing(name, own)),
    /** How far one species is; null for one that was not detected. */
    standingOf(name: string): ReviewedSpecies | null {
      const own = species.get(name);
      return own ? standing(name, own) : null;
    },
    /**
     * The detection to be shown next.
     *
     * @param wanted the species; null for the first that is not done
     * @param held ids that are waiting to be labelled already
     * @returns its id; null where there is none left
     */
    next(wanted: string | null, held: ReadonlySet<number>): number | null {
      const name = wanted ?? [...species].find(([each, own]) => !standing(each, own).isDone)?.[0];
      const own = name === undefined ? undefined : species.get(name);
      if (name === undefined || own === undefined) return null;
      turnTo(name);
      return chooseOf(name, own, held);
    },
    /** Takes note of labels, of detections in the tables or not. */
    add(...more: readonly Label[]): void {
      given.push(...more);
      count();
      for (const { scientificName } of more) fits.delete(scientificName);
    },
    /** Takes a label back. */
    remove(id: string): void {
      const at = given.findIndex((label) => label.id === id);
      const [removed] = at < 0 ? [] : given.splice(at, 1);
      count();
      if (removed) fits.delete(removed.scientificName);
    },
    /** The id of the detection that a label is of; null where the tables do not have it. */
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
