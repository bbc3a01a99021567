import { sigmoid } from '@chiffchaff/recognizer';
import { inputOf, type Posterior } from './posterior.ts';

/** A 90 % credible interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A threshold on the confidence of one species, and what it achieves. */
export interface Threshold {
  /** detections of at least this confidence are kept; null when none is expected to reach the target */
  readonly threshold: number | null;
  readonly thresholdInterval: Interval;
  /** share of right detections among those kept; among the surest when none reaches the target */
  readonly precision: number;
  readonly precisionInterval: Interval;
  /** share of the right detections that are kept */
  readonly kept: number;
  /** confidence at which one more label would tell most about the precision */
  readonly askNext: number | null;
}

/** Detections of similar confidence are treated as one group; this is the most groups. */
const MOST_GROUPS = 100;
/** Precision is known when its interval is no wider than ± this. */
const KNOWN_WITHIN = 0.05;
const TAIL = 0.05;

/** Whether no more labels are needed. */
export const isKnown = ({ precisionInterval: { low, high } }: Threshold): boolean => (high - low) / 2 <= KNOWN_WITHIN;

interface Group {
  readonly lowest: number;
  readonly input: number;
  readonly count: number;
}

/** Groups of neighbouring confidences, the highest first. */
function groupsOf(confidences: readonly number[]): Group[] {
  const falling = [...confidences].sort((one, other) => other - one);
  const size = Math.max(1, Math.ceil(falling.length / MOST_GROUPS));
  const groups: Group[] = [];
  for (let from = 0; from < falling.length; ) {
    let end = Math.min(from + size, falling.length);
    // Detections of equal confidence are never on both sides of a threshold.
    while (end < falling.length && falling[end] === falling[end - 1]) end += 1;
    const members = falling.slice(from, end);
    const input = members.reduce((sum, confidence) => sum + inputOf(confidence), 0) / members.length;
    groups.push({ lowest: members.at(-1) ?? 0, input, count: members.length });
    from = end;
  }
  return groups;
}

/** The value below which that share of the weight lies. */
function quantile(values: Float64Array, weights: Float64Array, share: number): number {
  const order = [...values.keys()].sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  let sum = 0;
  for (const at of order) {
    sum += weights[at] ?? 0;
    if (sum >= share) return values[at] ?? 0;
  }
  return values[order.at(-1) ?? 0] ?? 0;
}

const intervalOf = (values: Float64Array, weights: Float64Array): Interval => ({
  low: quantile(values, weights, TAIL),
  high: quantile(values, weights, 1 - TAIL),
});

/** Points below this weight are skipped; most points of a grid are. */
const NEGLIGIBLE_WEIGHT = 1e-7;

/**
 * The lowest threshold at which the target share of the detections kept is expected to be right.
 *
 * @param confidences of all detections of the species that the threshold is for, 0–1; at least one
 * @param target share of the detections kept that should be right, 0–1
 */
export function findThreshold(posterior: Posterior, confidences: readonly number[], target: number): Threshold {
  const groups = groupsOf(confidences);
  const points = [...posterior.weights.keys()].filter((at) => (posterior.weights[at] ?? 0) > NEGLIGIBLE_WEIGHT);
  const weights = Float64Array.from(points, (at) => posterior.weights[at] ?? 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (let at = 0; at < weights.length; at += 1) weights[at] = (weights[at] ?? 0) / total;

  /** each group's chance of being right, by point; `right` has their sums from the highest group on */
  const chances = groups.map(({ input }) =>
    Float64Array.from(points, (at) => sigmoid((posterior.a[at] ?? 0) + (posterior.b[at] ?? 0) * input)),
  );
  const right: Float64Array[] = [];
  const counts: number[] = [];
  for (const [index, { count }] of groups.entries()) {
    const before = right.at(-1);
    right.push(Float64Array.from(chances[index] ?? [], (chance, at) => (before?.[at] ?? 0) + count * chance));
    counts.push((counts.at(-1) ?? 0) + count);
  }
  const mean = (values: Float64Array): number => values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
  const precisionAt = (group: number): Float64Array =>
    (right[group] ?? new Float64Array()).map((sum) => sum / (counts[group] ?? 1));

  let chosen = -1;
  for (let group = groups.length - 1; group >= 0 && chosen < 0; group -= 1)
    if (mean(precisionAt(group)) >= target) chosen = group;
  const looked = Math.max(chosen, 0);
  const precision = precisionAt(looked);
  const all = right.at(-1) ?? new Float64Array();
  const reaching = Float64Array.from(points, (_, at) => {
    for (let group = groups.length - 1; group >= 0; group -= 1)
      if ((right[group]?.[at] ?? 0) >= target * (counts[group] ?? 1)) return groups[group]?.lowest ?? 1;
    return 1;
  });
  return {
    threshold: chosen < 0 ? null : (groups[chosen]?.lowest ?? null),
    thresholdInterval: intervalOf(reaching, weights),
    precision: mean(precision),
    precisionInterval: intervalOf(precision, weights),
    kept: chosen < 0 ? 0 : mean((right[chosen] ?? all).map((sum, at) => sum / (all[at] || 1))),
    askNext: mostTelling(groups, chances, precision, weights, mean),
  };
}

/**
 * The lowest confidence of the group in which a label is expected to reduce the variance of the precision most: by linear Bayes, its
 * covariance with the label squared, over the variance of the label.
 */
function mostTelling(
  groups: readonly Group[],
  chances: readonly Float64Array[],
  precision: Float64Array,
  weights: Float64Array,
  mean: (values: Float64Array) => number,
): number | null {
  const centre = mean(precision);
  let best: { readonly gain: number; readonly confidence: number } | null = null;
  for (const [index, group] of groups.entries()) {
    const chance = chances[index] ?? new Float64Array();
    const likely = mean(chance);
    let covariance = 0;
    for (let at = 0; at < weights.length; at += 1)
      covariance += (weights[at] ?? 0) * ((chance[at] ?? 0) - likely) * ((precision[at] ?? 0) - centre);
    const gain = covariance ** 2 / Math.max(1e-9, likely * (1 - likely));
    if (best === null || gain > best.gain) best = { gain, confidence: group.lowest };
  }
  return best?.confidence ?? null;
}
