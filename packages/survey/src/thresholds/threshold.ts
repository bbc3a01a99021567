/** The threshold of a species from what its labels say, and where one more label would help. `fit-thresholds.ts` and trials call it. */
import { sigmoid } from '@chiffchaff/recognizer';
import { inputOf, type LabelledScore, type Posterior } from './posterior.ts';

/** A 90 % credible interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What the labels of a species suffice to say. Without enough of them, all its detections are kept. */
export const OUTCOMES = ['found', 'not enough labels', 'no confidence is high enough'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A threshold on the confidence of one species, and what it achieves. */
export interface Threshold {
  readonly outcome: Outcome;
  /** detections of at least this confidence are kept; null unless it is found */
  readonly threshold: number | null;
  readonly thresholdInterval: Interval;
  /** expected share of right detections among those kept; among the surest when no confidence is high enough */
  readonly precision: number;
  /** of the expected share: of a few detections, more or fewer may be right */
  readonly precisionInterval: Interval;
  /** share of the right detections that are kept */
  readonly kept: number;
  /** share of right detections that even the surest do not exceed; null when the labels agree with a curve that goes on to 1 */
  readonly levelsOffAt: number | null;
  /** Whether the labels kept agree with the curve; else the interval also holds what they say on their own. */
  readonly fits: boolean;
  /** confidence at which one more label would tell most about the precision */
  readonly askNext: number | null;
}

/** Detections of similar confidence are treated as one group; this is the most groups. */
const MOST_GROUPS = 100;
/** Precision is known when its interval is no wider than ± this. */
const KNOWN_WITHIN = 0.05;
const TAIL = 0.05;
/** Fewer labels say nothing about a threshold: the prior of all species could make it look so. */
const LEAST_LABELS = 5;
/** All detections of a species are left out only after this many. */
const LEAST_LABELS_FOR_NONE = 10;
/** How likely the share of right detections reaches the target at a threshold: expected shares alone would too often be too high. */
export const CERTAINTY = 0.8;
/** A curve without a ceiling fits when it is at least this likely; before there are labels, it is 0.3. */
const LIKELY = 0.05;
/** The curve fits when the right ones among the labels kept are no more standard deviations from what it predicts. */
const FITS_WITHIN = 0.8;
/** standard deviations of a 90 % interval */
const DEVIATIONS = 1.645;

const isNarrow = ({ low, high }: Interval): boolean => (high - low) / 2 <= KNOWN_WITHIN;

/** Whether no more labels are needed. */
export const isKnown = ({ outcome, precisionInterval }: Threshold): boolean =>
  outcome !== 'not enough labels' && isNarrow(precisionInterval);

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
const NEGLIGIBLE_WEIGHT = 1e-6;

/**
 * The lowest threshold at which at least the target share of the detections kept is right with a certainty of `CERTAINTY`. There is none when even the surest
 * detections are known to miss the target; while that is not known, the labels are too few.
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

  const mean = (values: Float64Array): number => {
    let sum = 0;
    for (let at = 0; at < values.length; at += 1) sum += (values[at] ?? 0) * (weights[at] ?? 0);
    return sum;
  };
  /** each group's chance of being right, by point; `right` has their sums from the highest group on */
  const chances = groups.map(({ input }) => chancesAt(input, posterior, points));
  const likely = chances.map(mean);
  const right: Float64Array[] = [];
  const counts: number[] = [];
  for (const [index, { count }] of groups.entries()) {
    const before = right.at(-1);
    const sums = new Float64Array(points.length);
    for (let at = 0; at < sums.length; at += 1) sums[at] = (before?.[at] ?? 0) + count * (chances[index]?.[at] ?? 0);
    right.push(sums);
    counts.push((counts.at(-1) ?? 0) + count);
  }
  const precisionAt = (group: number): Float64Array =>
    (right[group] ?? new Float64Array()).map((sum) => sum / (counts[group] ?? 1));

  let [chosen, hoped, expected] = [-1, 0, 0];
  for (const [group, count] of counts.entries()) {
    expected += (groups[group]?.count ?? 0) * (likely[group] ?? 0);
    if (expected >= target * count) hoped = group;
    let certainty = 0;
    for (let at = 0; at < weights.length; at += 1) if ((right[group]?.[at] ?? 0) >= target * count) certainty += weights[at] ?? 0;
    if (certainty >= CERTAINTY) chosen = group;
  }
  const outcome = outcomeOf(chosen >= 0, intervalOf(precisionAt(0), weights), { target, labels: posterior.labels.length });
  const lastKept = { found: chosen, 'not enough labels': groups.length - 1, 'no confidence is high enough': 0 }[outcome];
  const precision = precisionAt(lastKept);
  const check = checkLabels({ labels: posterior.labels, groups: groups.slice(0, lastKept + 1), chances, mean });
  const interval = intervalOf(precision, weights);
  const all = right.at(-1) ?? new Float64Array();
  const reaching = Float64Array.from(points, (_, at) => {
    for (let group = groups.length - 1; group >= 0; group -= 1)
      if ((right[group]?.[at] ?? 0) >= target * (counts[group] ?? 1)) return groups[group]?.lowest ?? 1;
    return 1;
  });
  return {
    outcome,
    threshold: outcome === 'found' ? (groups[chosen]?.lowest ?? null) : null,
    thresholdInterval: intervalOf(reaching, weights),
    precision: mean(precision),
    precisionInterval: check.fits
      ? interval
      : { low: Math.min(interval.low, check.low), high: Math.max(interval.high, check.high) },
    kept: outcome === 'found' ? mean((right[chosen] ?? all).map((sum, at) => sum / (all[at] || 1))) : KEPT[outcome],
    fits: check.fits,
    levelsOffAt: posterior.labels.length >= LEAST_LABELS && posterior.noCeiling < LIKELY ? posterior.ceilingMean : null,
    askNext: mostTelling(groups, { chances, likely, precision: precisionAt(chosen < 0 ? hoped : chosen), weights, mean }),
  };
}

const KEPT = { 'not enough labels': 1, 'no confidence is high enough': 0 } as const;

interface CheckInputs {
  readonly labels: readonly LabelledScore[];
  /** those kept */
  readonly groups: readonly Group[];
  readonly chances: readonly Float64Array[];
  readonly mean: (values: Float64Array) => number;
}

/**
 * Posterior check: whether about as many of the labels kept are right as the curve predicts, and the 90 % interval of the share that they
 * give without any curve (Wilson 1927). Source: Gelman et al., Bayesian Data Analysis, 3rd edition, section 6.3.
 */
function checkLabels({ labels, groups, chances, mean }: CheckInputs): Interval & { readonly fits: boolean } {
  const sums = new Float64Array(chances[0]?.length ?? 0);
  const variances = new Float64Array(sums.length);
  let [count, right] = [0, 0];
  for (const { confidence, isRight } of labels) {
    const own = chances[groups.findIndex(({ lowest }) => confidence >= lowest)];
    if (own === undefined) continue;
    count += 1;
    right += isRight ? 1 : 0;
    for (let at = 0; at < sums.length; at += 1) {
      const chance = own[at] ?? 0;
      sums[at] = (sums[at] ?? 0) + chance;
      variances[at] = (variances[at] ?? 0) + chance * (1 - chance);
    }
  }
  const expected = mean(sums);
  const sd = Math.sqrt(mean(variances) + mean(sums.map((sum) => (sum - expected) ** 2)));
  const squared = DEVIATIONS ** 2;
  const half = DEVIATIONS * Math.sqrt((right * (count - right)) / Math.max(1, count) + squared / 4);
  const [low, high] = [-half, half].map((each) => (right + squared / 2 + each) / (count + squared));
  return { fits: count < LEAST_LABELS || Math.abs(right - expected) <= FITS_WITHIN * sd, low: low ?? 0, high: high ?? 1 };
}

function chancesAt(input: number, { a, b, ceiling }: Posterior, points: readonly number[]): Float64Array {
  const chances = new Float64Array(points.length);
  for (const [index, at] of points.entries()) chances[index] = (ceiling[at] ?? 1) * sigmoid((a[at] ?? 0) + (b[at] ?? 0) * input);
  return chances;
}

/** @param surest interval of the share of right ones among the surest detections */
function outcomeOf(
  reachesTarget: boolean,
  surest: Interval,
  { target, labels }: { readonly target: number; readonly labels: number },
): Outcome {
  if (labels < LEAST_LABELS) return 'not enough labels';
  if (reachesTarget) return 'found';
  const isTold = labels >= LEAST_LABELS_FOR_NONE && (surest.high < target || isNarrow(surest));
  return isTold ? 'no confidence is high enough' : 'not enough labels';
}

interface TellingInputs {
  readonly chances: readonly Float64Array[];
  /** means of the chances */
  readonly likely: readonly number[];
  readonly precision: Float64Array;
  readonly weights: Float64Array;
  readonly mean: (values: Float64Array) => number;
}

/**
 * The lowest confidence of the group in which a label is expected to reduce the variance of the precision most: by linear Bayes, its
 * covariance with the label squared, over the variance of the label.
 */
function mostTelling(groups: readonly Group[], { chances, likely, precision, weights, mean }: TellingInputs): number | null {
  const centre = mean(precision);
  let best: { readonly gain: number; readonly confidence: number } | null = null;
  for (const [index, group] of groups.entries()) {
    const chance = chances[index] ?? new Float64Array();
    const expected = likely[index] ?? 0;
    let covariance = 0;
    for (let at = 0; at < weights.length; at += 1)
      covariance += (weights[at] ?? 0) * ((chance[at] ?? 0) - expected) * ((precision[at] ?? 0) - centre);
    const gain = covariance ** 2 / Math.max(1e-9, expected * (1 - expected));
    if (best === null || gain > best.gain) best = { gain, confidence: group.lowest };
  }
  return best?.confidence ?? null;
}
