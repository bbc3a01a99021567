import { logOdds } from '@chiffchaff/recognizer';

/** One label: the model's confidence, and whether a person heard that bird. */
export interface LabelledScore {
  /** 0–1 */
  readonly confidence: number;
  readonly isRight: boolean;
}

/** The distribution of (a, b) before there are labels, where log-odds of being right = a + b · log-odds of the confidence. */
export interface Prior {
  readonly mean: readonly [a: number, b: number];
  readonly sd: readonly [a: number, b: number];
  readonly correlation: number;
}

/** Takes confidence roughly at face value; used when there are too few species to learn from. */
export const broadPrior: Prior = { mean: [0, 1], sd: [1.5, 0.5], correlation: 0 };

/** Points of (a, b) with their weights, which sum to 1. */
export interface Posterior {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly weights: Float64Array;
  readonly mean: readonly [a: number, b: number];
  /** variance of a, covariance, variance of b */
  readonly covariance: readonly [aa: number, ab: number, bb: number];
}

/** Confidences of 0 and 1 have no log-odds. */
const MOST_LOG_ODDS = 7;
const POINTS = 81;
/** Means and spreads need fewer points than intervals. */
const POINTS_TO_LEARN = 25;
/** Reach of the grid in standard deviations. */
const REACH = 4.5;
/** Each further grid is laid around what the previous one found; the first may be far too wide. */
const ROUNDS = 3;

export const inputOf = (confidence: number): number => Math.max(-MOST_LOG_ODDS, Math.min(MOST_LOG_ODDS, logOdds(confidence)));

interface Axis {
  readonly from: number;
  readonly to: number;
}

/**
 * What the labels of a species say about (a, b): Bayesian logistic regression on a grid. b is above 0: a higher confidence is never a worse
 * sign.
 * Source: field-work design, section 3; Gelman et al., Bayesian Data Analysis, 3rd edition, section 3.7.
 */
export function fitPosterior(labels: readonly LabelledScore[], prior: Prior, points = POINTS): Posterior {
  const inputs = Float64Array.from(labels, ({ confidence }) => inputOf(confidence));
  let [a, b] = axesAround(prior.mean, [prior.sd[0], prior.sd[1]]);
  const on = (aAxis: Axis, bAxis: Axis) => onGrid({ a: aAxis, b: bAxis, points }, { inputs, labels, prior });
  let found = on(a, b);
  for (let round = 1; round < ROUNDS; round += 1) {
    const [aa, , bb] = found.covariance;
    [a, b] = axesAround(found.mean, [Math.sqrt(aa), Math.sqrt(bb)]);
    found = on(a, b);
  }
  return found;
}

function axesAround(mean: readonly [number, number], sd: readonly [number, number]): [Axis, Axis] {
  return [
    { from: mean[0] - REACH * sd[0], to: mean[0] + REACH * sd[0] },
    { from: Math.max(0, mean[1] - REACH * sd[1]), to: mean[1] + REACH * sd[1] },
  ];
}

interface Grid {
  readonly a: Axis;
  readonly b: Axis;
  /** along each axis */
  readonly points: number;
}

interface PosteriorInputs {
  readonly inputs: Float64Array;
  readonly labels: readonly LabelledScore[];
  readonly prior: Prior;
}

function onGrid(grid: Grid, { inputs, labels, prior }: PosteriorInputs): Posterior {
  const { points } = grid;
  const a = new Float64Array(points * points);
  const b = new Float64Array(points * points);
  const weights = new Float64Array(points * points);
  let best = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < weights.length; at += 1) {
    a[at] = along(grid.a, (at % points) / points, points);
    b[at] = along(grid.b, Math.floor(at / points) / points, points);
    let log = logPrior(a[at] ?? 0, b[at] ?? 0, prior);
    for (let index = 0; index < inputs.length; index += 1) {
      const odds = (a[at] ?? 0) + (b[at] ?? 0) * (inputs[index] ?? 0);
      log -= softplus(labels[index]?.isRight ? -odds : odds);
    }
    weights[at] = log;
    best = Math.max(best, log);
  }
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) sum += weights[at] = Math.exp((weights[at] ?? 0) - best);
  let [meanA, meanB] = [0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    const weight = (weights[at] ?? 0) / sum;
    weights[at] = weight;
    meanA += weight * (a[at] ?? 0);
    meanB += weight * (b[at] ?? 0);
  }
  let [aa, ab, bb] = [0, 0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    const [weight, byA, byB] = [weights[at] ?? 0, (a[at] ?? 0) - meanA, (b[at] ?? 0) - meanB];
    aa += weight * byA * byA;
    ab += weight * byA * byB;
    bb += weight * byB * byB;
  }
  return { a, b, weights, mean: [meanA, meanB], covariance: [aa, ab, bb] };
}

/** @param part position on the axis, 0–1; each point stands for the cell around it */
const along = ({ from, to }: Axis, part: number, points: number): number => from + (to - from) * (part + 0.5 / points);

function logPrior(a: number, b: number, { mean, sd, correlation }: Prior): number {
  const [byA, byB] = [(a - mean[0]) / sd[0], (b - mean[1]) / sd[1]];
  return -(byA * byA - 2 * correlation * byA * byB + byB * byB) / (2 * (1 - correlation * correlation));
}

/** log(1 + e^x) without overflow */
const softplus = (x: number): number => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));

/** Fewer species say too little about how species differ. */
const LEAST_SPECIES = 5;
/** A species with fewer labels teaches too little. */
const LEAST_LABELS = 3;
/** In the learned prior, the broad one counts as this many more species. */
const BROAD_SPECIES = 4;
const LEARNING_ROUNDS = 8;

/**
 * What all labelled species together say about any one (empirical Bayes): the mean and the spread of their (a, b), computed alternately
 * with their posteriors. With few species it stays near `broadPrior`.
 */
export function learnPrior(species: readonly (readonly LabelledScore[])[]): Prior {
  const told = species.filter((labels) => labels.length >= LEAST_LABELS);
  if (told.length < LEAST_SPECIES) return broadPrior;
  let prior = broadPrior;
  for (let round = 0; round < LEARNING_ROUNDS; round += 1) {
    const posteriors = told.map((labels) => fitPosterior(labels, prior, POINTS_TO_LEARN));
    const count = told.length + BROAD_SPECIES;
    const meanOf = (axis: 0 | 1) =>
      (posteriors.reduce((sum, { mean }) => sum + mean[axis], 0) + BROAD_SPECIES * broadPrior.mean[axis]) / count;
    const mean = [meanOf(0), meanOf(1)] as const;
    let [aa, ab, bb] = [BROAD_SPECIES * broadPrior.sd[0] ** 2, 0, BROAD_SPECIES * broadPrior.sd[1] ** 2];
    for (const { mean: own, covariance } of posteriors) {
      aa += covariance[0] + (own[0] - mean[0]) ** 2;
      ab += covariance[1] + (own[0] - mean[0]) * (own[1] - mean[1]);
      bb += covariance[2] + (own[1] - mean[1]) ** 2;
    }
    const sd = [Math.sqrt(aa / count), Math.sqrt(bb / count)] as const;
    prior = { mean, sd, correlation: Math.max(-0.95, Math.min(0.95, ab / count / (sd[0] * sd[1]))) };
  }
  return prior;
}
