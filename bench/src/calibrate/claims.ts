import {
  type Calibration,
  type ConfidenceInputs,
  type Evidence,
  type Logits,
  placeEffect,
  type SpeciesTable,
  workOutConfidences,
} from '@chiffchaff/recognizer';
import { chanceOf } from './logistic-fit.ts';

export type ConfidenceCoefficients = Calibration['confidence']['withoutPlace'];

/** What the recogniser may claim of one recording, and whether it would be right. */
export interface Trial {
  /** every species that stands out in some passage, once for each such passage */
  readonly sightings: readonly Sighting[];
  /** how much the recording counts in a fit */
  readonly weight: number;
  readonly fold: number;
}

/** A species in one passage. */
export interface Sighting {
  readonly label: number;
  /** z, meanMargin, maxMargin, nonBird and, at a place, gap */
  readonly inputs: readonly number[];
  readonly right: boolean;
  /** of the whole recording; breaks ties */
  readonly score: number;
}

/** That a species is heard in the recording: its best passage, as the answer has it. */
export interface Claim extends Sighting {
  readonly confidence: number;
}

/**
 * Species of a passage that are looked at: the first so many by their mean and by their highest logit. Whatever the coefficients,
 * as long as none of a margin is below 0, the passage's first species is as good as always among them.
 */
const STANDING_OUT = 6;

/** So high that next to nothing is worked out beyond what `inputsInPassage` needs. */
const ONLY_INPUTS = 0.9999;

export interface Question {
  readonly evidence: Evidence;
  /** the right label; null where none is: no bird, a bird without a class, a bird that the place hides */
  readonly label: number | null;
  /** by label; null without a place */
  readonly occurrence: Float32Array | null;
  readonly scores: Float64Array;
}

/** @param calibration whose clipping applies and, at a place, whose coefficients tell what would be heard without it */
export function sightingsOf({ evidence, label: truth, occurrence, scores }: Question, calibration: Calibration): Sighting[] {
  const withoutPlace = workOutConfidences(evidence, calibration, null, ONLY_INPUTS);
  const effectOf = (label: number) => placeEffect(occurrence?.[label] ?? null, calibration.occurrence);
  const confidences =
    occurrence === null ? withoutPlace : workOutConfidences(evidence, calibration, { effectOf, withoutPlace }, ONLY_INPUTS);
  return Array.from(evidence.passages.firstClips).flatMap((_, passage) =>
    [...standingOut(evidence, passage, effectOf)].flatMap((label) => {
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
  effectOf: (label: number) => { readonly hidden: boolean; readonly penalty: number },
): Set<number> {
  const highest = (logits: Logits): number[] => {
    // Rows hold thousands of species: a short list is kept in order, not all of them sorted.
    const kept: { label: number; value: number }[] = [];
    for (let at = offsets[passage] ?? 0; at < (offsets[passage + 1] ?? 0); at++) {
      const label = labels[at] ?? 0;
      const least = kept.length < STANDING_OUT ? -Infinity : (kept.at(-1)?.value ?? -Infinity);
      const { hidden, penalty } = effectOf(label);
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

/** The species that a recording is said to hold, the surest first, as the answer ranks them. */
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

/** The raw score's own first answer; label −1 where nothing has a score. */
export function firstByScore(scores: Float64Array, species: SpeciesTable): { readonly label: number; readonly score: number } {
  let first = { label: -1, score: 0 };
  for (const { index, kind } of species.labels) {
    const score = scores[index] ?? 0;
    if (kind === 'bird' && score > first.score) first = { label: index, score };
  }
  return first;
}
