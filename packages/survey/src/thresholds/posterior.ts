/**
 * How likely a detection is right at each confidence, learned from labels: a logistic curve, with or without a ceiling that even the surest
 * detections do not exceed. `fit-thresholds.ts`, `review.ts` and the trial of thresholds call it.
 */
import { logOdds } from '@chiffchaff/recognizer';

/** One label: the model's confidence, and whether a person heard that bird. */
export interface LabelledScore {
  /** 0–1 */
  readonly confidence: number;
  readonly isRight: boolean;
}

/**
 * The distribution of (a, b, ceiling) before there are labels, where the chance of being right = ceiling · sigmoid(a + b · log-odds of the
 * confidence).
 */
export interface Prior {
  readonly mean: readonly [a: number, b: number];
  readonly sd: readonly [a: number, b: number];
  readonly correlation: number;
  /** chance that the ceiling is 1, that is, there is none; any from `LEAST_CEILING` to 1 is as likely as any other */
  readonly noCeiling: number;
}

/**
 * Takes confidence roughly at face value; used when there are too few species to learn from. Ceilings are taken for granted: labels tell too
 * late that there is one, and until then detections would be kept that are wrong too often.
 */
export const broadPrior: Prior = { mean: [0, 1], sd: [1.5, 0.5], correlation: 0, noCeiling: 0.3 };

/** Points of (a, b, ceiling) with their weights, which sum to 1. */
export interface Posterior {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly ceiling: Float64Array;
  readonly weights: Float64Array;
  readonly mean: readonly [a: number, b: number];
  /** variance of a, covariance, variance of b */
  readonly covariance: readonly [aa: number, ab: number, bb: number];
  readonly noCeiling: number;
  /** of a ceiling below 1, if there is one */
  readonly ceilingMean: number;
  readonly ceilingSd: number;
  /** what it was learned from */
  readonly labels: readonly LabelledScore[];
  /** distances of the points */
  readonly cell: { readonly a: number; readonly b: number; readonly ceiling: number };
}

/** Confidences of 0 and 1 have no log-odds. */
const MOST_LOG_ODDS = 7;
const POINTS = 31;
/** Means and spreads need fewer points than intervals. */
const POINTS_TO_LEARN = 21;
/** Ceilings below 1 that are tried; even the surest detections of most species are right more often than the least. */
const CEILINGS = 8;
const LEAST_CEILING = 0.7;
/** Reach of the grid in standard deviations. */
const REACH = 4.5;
/** Chances are multiplied before their logarithm is taken, which is slow; more of them might vanish. */
const LABELS_AT_ONCE = 16;
/** Each further grid is laid around what the previous one found; the first may be far too wide. */
const ROUNDS = 3;

export const inputOf = (confidence: number): number => Math.max(-MOST_LOG_ODDS, Math.min(MOST_LOG_ODDS, logOdds(confidence)));

interface Axis {
  readonly from: number;
  readonly to: number;
}

/**
 * What the labels of a species say about (a, b, ceiling): Bayesian logistic regression on a grid. b is above 0: a higher confidence is never
 * a worse sign. Labels of the surest detections seldom suffice to tell whether there is a ceiling, so both are weighed against each other.
 *
 * @param points along a and b each
 * @param similar posterior of the same labels with a similar prior, which saves all grids but one
 * Source: field-work design, section 3; Gelman et al., Bayesian Data Analysis, 3rd edition, sections 3.7 and 7.4.
 */
export function fitPosterior(
  labels: readonly LabelledScore[],
  prior: Prior,
  points = POINTS,
  similar: Posterior | null = null,
): Posterior {
  const told = { inputs: Float64Array.from(labels, ({ confidence }) => inputOf(confidence)), labels, prior };
  if (similar) return onGrid(gridAround(similar, points), told);
  let found = onGrid(firstGrid(prior, points), told);
  for (let round = 1; round < ROUNDS; round += 1) found = onGrid(gridAround(found, points), told);
  return found;
}

const firstGrid = ({ mean, sd }: Prior, points: number): Grid => ({
  a: axisAround(mean[0], sd[0]),
  b: axisAround(mean[1], sd[1], 0),
  ceiling: { from: LEAST_CEILING, to: 1 },
  points,
});

const gridAround = ({ mean, covariance, ceilingMean, ceilingSd, cell }: Posterior, points: number): Grid => ({
  // Half a cell more: the spread of a distribution narrower than a cell is not seen.
  a: axisAround(mean[0], Math.sqrt(covariance[0]) + cell.a / 2),
  b: axisAround(mean[1], Math.sqrt(covariance[2]) + cell.b / 2, 0),
  ceiling: axisAround(ceilingMean, ceilingSd + cell.ceiling / 2, LEAST_CEILING, 1),
  points,
});

const width = ({ from, to }: Axis): number => to - from;

const axisAround = (mean: number, sd: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): Axis => ({
  from: Math.max(least, mean - REACH * sd),
  to: Math.min(most, mean + REACH * sd),
});

interface Grid {
  readonly a: Axis;
  readonly b: Axis;
  readonly ceiling: Axis;
  /** along a and b each */
  readonly points: number;
}

function onGrid(
  grid: Grid,
  { inputs, labels, prior }: { readonly inputs: Float64Array; readonly labels: readonly LabelledScore[]; readonly prior: Prior },
): Posterior {
  const { points } = grid;
  const ceilings = [1, ...Array.from({ length: CEILINGS }, (_, cell) => along(grid.ceiling, cell / CEILINGS, CEILINGS))];
  const ofCell = ((1 - prior.noCeiling) * width(grid.ceiling)) / (1 - LEAST_CEILING) / CEILINGS;
  const right = labels.filter(({ isRight }) => isRight).length;
  /** What a ceiling adds at every (a, b): its prior, and its factor in the chance of each right label. */
  const ofCeilings = ceilings.map((each, index) => Math.log(index === 0 ? prior.noCeiling : ofCell) + right * Math.log(each));

  const wrongProducts = new Float64Array(ceilings.length);
  const zeros = () => new Float64Array(points * points * ceilings.length);
  const [a, b, ceiling, weights] = [zeros(), zeros(), zeros(), zeros()];
  let best = Number.NEGATIVE_INFINITY;
  for (let cell = 0; cell < points * points; cell += 1) {
    const aHere = along(grid.a, (cell % points) / points, points);
    const bHere = along(grid.b, Math.floor(cell / points) / points, points);
    const logs = Float64Array.from(ofCeilings);
    let log = logPrior(aHere, bHere, prior);
    for (let from = 0; from < inputs.length; from += LABELS_AT_ONCE) {
      let rightProduct = 1;
      wrongProducts.fill(1);
      for (let index = from; index < Math.min(from + LABELS_AT_ONCE, inputs.length); index += 1) {
        const chance = 1 / (1 + Math.exp(-aHere - bHere * (inputs[index] ?? 0)));
        if (labels[index]?.isRight) rightProduct *= chance;
        else
          for (let each = 0; each < wrongProducts.length; each += 1)
            wrongProducts[each] = (wrongProducts[each] ?? 1) * (1 - (ceilings[each] ?? 1) * chance);
      }
      log += Math.log(rightProduct);
      for (let each = 0; each < logs.length; each += 1) logs[each] = (logs[each] ?? 0) + Math.log(wrongProducts[each] ?? 1);
    }
    for (let each = 0; each < logs.length; each += 1) {
      const at = cell * logs.length + each;
      a[at] = aHere;
      b[at] = bHere;
      ceiling[at] = ceilings[each] ?? 1;
      weights[at] = log + (logs[each] ?? 0);
      best = Math.max(best, weights[at] ?? 0);
    }
  }
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) sum += weights[at] = Math.exp((weights[at] ?? 0) - best);
  for (let at = 0; at < weights.length; at += 1) weights[at] = (weights[at] ?? 0) / sum;
  const cell = { a: width(grid.a) / points, b: width(grid.b) / points, ceiling: width(grid.ceiling) / CEILINGS };
  return { a, b, ceiling, weights, ...spreadOf({ a, b, ceiling, weights }), labels, cell };
}

type Points = Pick<Posterior, 'a' | 'b' | 'ceiling' | 'weights'>;

function spreadOf({ a, b, ceiling, weights }: Points): Omit<Posterior, keyof Points | 'labels' | 'cell'> {
  const mean = (valueAt: (at: number) => number): number => weights.reduce((sum, weight, at) => sum + weight * valueAt(at), 0);
  const isBelow = (at: number): boolean => (ceiling[at] ?? 1) < 1;
  const below = mean((at) => (isBelow(at) ? 1 : 0));
  const ceilingMean = below === 0 ? 1 : mean((at) => (isBelow(at) ? (ceiling[at] ?? 0) : 0)) / below;
  const [meanA, meanB] = [mean((at) => a[at] ?? 0), mean((at) => b[at] ?? 0)];
  const [fromA, fromB] = [(at: number) => (a[at] ?? 0) - meanA, (at: number) => (b[at] ?? 0) - meanB];
  return {
    mean: [meanA, meanB],
    covariance: [mean((at) => fromA(at) ** 2), mean((at) => fromA(at) * fromB(at)), mean((at) => fromB(at) ** 2)],
    noCeiling: 1 - below,
    ceilingMean,
    ceilingSd: Math.sqrt(mean((at) => (isBelow(at) ? ((ceiling[at] ?? 0) - ceilingMean) ** 2 : 0)) / (below || 1)),
  };
}

/** @param part position on the axis, 0–1; each point stands for the cell around it */
const along = ({ from, to }: Axis, part: number, points: number): number => from + (to - from) * (part + 0.5 / points);

function logPrior(a: number, b: number, { mean, sd, correlation }: Prior): number {
  const [byA, byB] = [(a - mean[0]) / sd[0], (b - mean[1]) / sd[1]];
  return -(byA * byA - 2 * correlation * byA * byB + byB * byB) / (2 * (1 - correlation * correlation));
}

/** Fewer species say too little about how species differ. */
const LEAST_SPECIES = 5;
/** A species with fewer labels teaches too little. */
const LEAST_LABELS = 3;
/** In the learned prior, the broad one counts as this many more species. */
const BROAD_SPECIES = 4;
const LEARNING_ROUNDS = 8;

/**
 * What all labelled species together say about any one (empirical Bayes): the mean and the spread of their (a, b), and how many
 * have no ceiling, computed alternately with their posteriors. With few species it stays near `broadPrior`.
 */
export function learnPrior(species: readonly (readonly LabelledScore[])[]): Prior {
  const told = species.filter((labels) => labels.length >= LEAST_LABELS);
  if (told.length < LEAST_SPECIES) return broadPrior;
  let prior = broadPrior;
  let posteriors: readonly Posterior[] = [];
  for (let round = 0; round < LEARNING_ROUNDS; round += 1) {
    posteriors = told.map((labels, index) => fitPosterior(labels, prior, POINTS_TO_LEARN, posteriors[index]));
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
    const correlation = Math.max(-0.95, Math.min(0.95, ab / count / (sd[0] * sd[1])));
    const noCeiling = posteriors.reduce((sum, each) => sum + each.noCeiling, BROAD_SPECIES * broadPrior.noCeiling) / count;
    prior = { mean, sd, correlation, noCeiling };
  }
  return prior;
}
