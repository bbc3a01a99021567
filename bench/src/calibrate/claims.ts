import {
  type Calibration,
  type ConfidenceInputs,
  type Evidence,
  type Logits,
  locationAdjustment,
  type SpeciesTable,
  workOutConfidences,
} from '@chiffchaff/recognizer';
import { chanceOf } from './logistic-fit.ts';

export type ConfidenceCoefficients = Calibration['confidence']['withoutPlace'];

/** What the recogniser may claim about one recording, and whether each claim would be right. */
export interface Trial {
  /** every species that stands out in a passage, once per passage */
  readonly sightings: readonly Sighting[];
  /** weight of the recording in a fit */
  readonly weight: number;
  readonly fold: number;
}

/** A species in one passage. */
export interface Sighting {
  readonly label: number;
  /** z, meanMargin, maxMargin, nonBird and, at a place, gap */
  readonly inputs: readonly number[];
  readonly right: boolean;
  /** score of the whole recording; breaks ties */
  readonly score: number;
}

/** The claim that a recording contains a species, taken from the species' best passage as in the prediction. */
export interface Claim extends Sighting {
  readonly confidence: number;
}

/**
 * Candidates per passage: the species with the highest means and those with the highest peaks, this many of each. As long as no margin
 * has a negative coefficient, the passage's first species is almost always among them.
 */
const STANDING_OUT = 6;

/** A minimum confidence so high that almost nothing is computed beyond what `inputsInPassage` needs. */
const ONLY_INPUTS = 0.9999;

export interface Question {
  readonly evidence: Evidence;
  /** the right label; null for a bird-free recording or a bird without a class */
  readonly label: number | null;
  /** by label; null without a place */
  readonly occurrence: Float32Array | null;
  readonly scores: Float64Array;
}

/** @param calibration supplies the clipping and, at a place, the coefficients for what would be named without the place */
export function sightingsOf({ evidence, label: truth, occurrence, scores }: Question, calibration: Calibration): Sighting[] {
  const withoutPlace = workOutConfidences(evidence, calibration, null, ONLY_INPUTS);
  const adjustmentOf = (label: number) => locationAdjustment(occurrence?.[label] ?? null, calibration.occurrence);
  const confidences =
    occurrence === null ? withoutPlace : workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, ONLY_INPUTS);
  return Array.from(evidence.passages.firstClips).flatMap((_, passage) =>
    [...standingOut(evidence, passage, adjustmentOf)].flatMap((label) => {
      const inputs = confidences.inputsInPassage(passage, label);
      if (inputs === null) return [];
      return [{ label, inputs: numbersOf(inputs, occurrence !== null), right: label === truth, score: scores[label] ?? 0 }];
    }),
  );
}

function numbersOf({ z, meanMargin, maxMargin, nonBird, gap }: ConfidenceInputs, atPlace: boolean): number[] {
  return [z, meanMargin, maxMargin, nonBird, ...(atPlace ? [gap] : [])];
}

function standingOut(
  { passages: { offsets, labels, means, peaks }, logitUnit }: Evidence,
  passage: number,
  adjustmentOf: (label: number) => { readonly hidden: boolean; readonly penalty: number },
): Set<number> {
  const highest = (logits: Logits): number[] => {
    // A row holds thousands of species: keeping a short sorted list avoids sorting all of them.
    const kept: { label: number; value: number }[] = [];
    for (let at = offsets[passage] ?? 0; at < (offsets[passage + 1] ?? 0); at++) {
      const label = labels[at] ?? 0;
      const least = kept.length < STANDING_OUT ? -Infinity : (kept.at(-1)?.value ?? -Infinity);
      const { hidden, penalty } = adjustmentOf(label);
      const value = logitUnit * (logits[at] ?? 0) + penalty;
      if (hidden || value <= least) continue;
      const place = kept.findIndex((other) => other.value < value);
      kept.splice(place < 0 ? kept.length : place, 0, { label, value });
      if (kept.length > STANDING_OUT) kept.pop();
    }
    return kept.map(({ label }) => label);
  };
  return new Set([...highest(means), ...highest(peaks)]);
}

/** The species claimed for a recording, most confident first, ranked as in the prediction. */
export function claimsOf({ sightings }: Trial, coefficients: ConfidenceCoefficients, count: number): Claim[] {
  const { z, meanMargin, maxMargin, nonBird, gap, bias } = coefficients;
  const best = new Map<number, Claim>();
  for (const sighting of sightings) {
    const { label, inputs } = sighting;
    const weights =
      inputs.length > 4 ? [z, meanMargin, maxMargin, nonBird, gap, bias] : [z, meanMargin, maxMargin, nonBird, bias];
    const confidence = chanceOf(weights, inputs);
    if (confidence > (best.get(label)?.confidence ?? -1)) best.set(label, { ...sighting, confidence });
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence || b.score - a.score || a.label - b.label).slice(0, count);
}

/** The bird with the highest raw score; label −1 when no bird has a score. */
export function firstByScore(scores: Float64Array, species: SpeciesTable): { readonly label: number; readonly score: number } {
  let first = { label: -1, score: 0 };
  for (const { index, kind } of species.labels) {
    const score = scores[index] ?? 0;
    if (kind === 'bird' && score > first.score) first = { label: index, score };
  }
  return first;
}
