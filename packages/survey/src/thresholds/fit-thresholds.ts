import { fitPosterior, type LabelledScore, learnPrior, type Prior } from './posterior.ts';
import { findThreshold, isKnown, type Threshold } from './threshold.ts';

/** A person's label with the confidence of its detection. */
export interface LabelledDetection extends LabelledScore {
  readonly scientificName: string;
}

export interface SpeciesThreshold extends Threshold {
  readonly scientificName: string;
  readonly labels: number;
  /** labels that say yes */
  readonly right: number;
  /** detections that the threshold was fitted for */
  readonly detections: number;
  /** Whether the precision is known to ± 5 points, and so is whether there is a threshold. */
  readonly isKnown: boolean;
}

/**
 * Fits a threshold for each species with labels.
 *
 * @param confidences of all detections, by scientific name; for a species without any, those of its labels stand in
 * @param target share of the detections kept that should be right, 0–1
 * @returns by scientific name
 */
export function fitThresholds(
  labels: readonly LabelledDetection[],
  confidences: ReadonlyMap<string, readonly number[]>,
  target: number,
): readonly SpeciesThreshold[] {
  const bySpecies = Map.groupBy(labels, ({ scientificName }) => scientificName);
  const prior = learnPrior([...bySpecies.values()]);
  return [...bySpecies]
    .map(([scientificName, own]) => ({
      scientificName,
      ...fitThreshold(own, confidences.get(scientificName) ?? own.map(({ confidence }) => confidence), { prior, target }),
    }))
    .sort((one, other) => (one.scientificName < other.scientificName ? -1 : 1));
}

/** Fits the threshold of one species. @param confidences of its detections, at least one */
export function fitThreshold(
  labels: readonly LabelledScore[],
  confidences: readonly number[],
  { prior, target }: { readonly prior: Prior; readonly target: number },
): Omit<SpeciesThreshold, 'scientificName'> {
  const found = findThreshold(fitPosterior(labels, prior), confidences, target);
  const right = labels.filter(({ isRight }) => isRight).length;
  return { ...found, labels: labels.length, right, detections: confidences.length, isKnown: isKnown(found) };
}
