import {
  findThreshold,
  fitPosterior,
  inputOf,
  isKnown,
  type LabelledScore,
  learnPrior,
  type Posterior,
} from '@chiffchaff/survey/thresholds';
import { round } from '../harness/measures.ts';
import { type Chance, createChance } from '../harness/random.ts';

export interface ThresholdsOptions {
  readonly sets: number;
  readonly species: number;
  readonly target: number;
  readonly seed: number;
}

const LABELS = [5, 20, 60] as const;
const DETECTIONS = 300;
/** Confidences below this are in no table. */
const LEAST_CONFIDENCE = 0.05;
/** After this many labels, the precision counts as not known. */
const MOST_ASKED = 120;
const ASKED_AT_ONCE = 5;
/** Number of species whose labels are chosen by their expected information. */
const ASKED_SPECIES = 20;

interface Species {
  readonly confidences: readonly number[];
  /** probability that a detection is right, known only to this trial */
  readonly truthAt: (confidence: number) => number;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const normal = (chance: Chance): number =>
  Math.sqrt(-2 * Math.log(chance.next() + 1e-12)) * Math.cos(2 * Math.PI * chance.next());

/** Makes a species whose confidence is too high or too low, as in our tests of the model. */
function makeSpecies(chance: Chance): Species {
  const [a, b] = [-0.3 + normal(chance), Math.max(0.15, 0.9 + 0.3 * normal(chance))];
  const draw = () => Math.max(LEAST_CONFIDENCE, sigmoid(-0.5 + 1.8 * normal(chance)));
  return {
    confidences: Array.from({ length: DETECTIONS }, () => Math.round(1e4 * draw()) / 1e4),
    truthAt: (confidence) => sigmoid(a + b * inputOf(confidence)),
  };
}

const label = (chance: Chance, { truthAt }: Species, confidence: number): LabelledScore => ({
  confidence,
  isRight: chance.next() < truthAt(confidence),
});

/** The true precision of detections from a threshold on; without one, of the most confident. */
function truePrecision({ confidences, truthAt }: Species, threshold: number | null): number {
  const from = threshold ?? Math.max(...confidences);
  const kept = confidences.filter((confidence) => confidence >= from);
  return kept.reduce((sum, confidence) => sum + truthAt(confidence), 0) / kept.length;
}

/** Plain logistic regression (maximum likelihood, Newton's method), as a posterior of one point. */
function logisticRegression(labels: readonly LabelledScore[]): Posterior {
  let [a, b] = [0, 1];
  for (let step = 0; step < 50; step += 1) {
    // Just enough regularisation to keep separable labels finite.
    let [gradientA, gradientB, aa, ab, bb] = [-1e-3 * a, -1e-3 * b, 1e-3, 0, 1e-3];
    for (const { confidence, isRight } of labels) {
      const x = inputOf(confidence);
      const chance = sigmoid(a + b * x);
      const [miss, weight] = [(isRight ? 1 : 0) - chance, chance * (1 - chance)];
      gradientA += miss;
      gradientB += miss * x;
      aa += weight;
      ab += weight * x;
      bb += weight * x * x;
    }
    const determinant = aa * bb - ab * ab;
    a = Math.max(-50, Math.min(50, a + (bb * gradientA - ab * gradientB) / determinant));
    b = Math.max(-50, Math.min(50, b + (aa * gradientB - ab * gradientA) / determinant));
  }
  const at = (value: number) => Float64Array.of(value);
  return { a: at(a), b: at(b), weights: at(1), mean: [a, b], covariance: [0, 0, 0] };
}

/**
 * Finds thresholds for simulated detections, whose truth is known: how often the 90 % interval contains it, how far plain logistic
 * regression and the model are from it, and how many labels are needed until the precision is known to ± 5 points.
 */
export function runThresholds({ sets, species, target, seed }: ThresholdsOptions) {
  const chance = createChance(seed);
  const faults: string[] = [];
  const coverage: Record<string, unknown>[] = [];
  for (const count of LABELS) {
    let [held, tried, own, plain] = [0, 0, 0, 0];
    for (let set = 0; set < sets; set += 1) {
      const made = Array.from({ length: species }, () => makeSpecies(chance));
      const labelled = made.map((each) =>
        Array.from({ length: count }, () => label(chance, each, chance.pick(each.confidences) ?? 0)),
      );
      const prior = learnPrior(labelled);
      for (const [index, each] of made.entries()) {
        const labels = labelled[index] ?? [];
        const found = findThreshold(fitPosterior(labels, prior), each.confidences, target);
        const truth = truePrecision(each, found.threshold);
        held += found.precisionInterval.low <= truth && truth <= found.precisionInterval.high ? 1 : 0;
        own += Math.abs(found.precision - truth);
        const other = findThreshold(logisticRegression(labels), each.confidences, target);
        plain += Math.abs(other.precision - truePrecision(each, other.threshold));
        tried += 1;
      }
    }
    const share = held / tried;
    if (share < 0.85 || share > 0.95)
      faults.push(`with ${count} labels, the interval of 90 % holds ${round(100 * share, 1)} % of the time`);
    coverage.push({
      labels: count,
      held: round(share, 3),
      tried,
      error: round(own / tried, 3),
      plainLogistic: round(plain / tried, 3),
    });
  }

  const needed: number[] = [];
  const others = Array.from({ length: species }, () => makeSpecies(chance));
  const prior = learnPrior(
    others.map((each) => Array.from({ length: 20 }, () => label(chance, each, chance.pick(each.confidences) ?? 0))),
  );
  for (let one = 0; one < ASKED_SPECIES; one += 1) {
    const each = makeSpecies(chance);
    const labels: LabelledScore[] = [];
    for (;;) {
      const found = findThreshold(fitPosterior(labels, prior), each.confidences, target);
      if (isKnown(found) || labels.length >= MOST_ASKED) break;
      const wanted = found.askNext ?? 0.5;
      const near = [...each.confidences].sort((x, y) => Math.abs(x - wanted) - Math.abs(y - wanted)).slice(0, ASKED_AT_ONCE);
      labels.push(...near.map((confidence) => label(chance, each, confidence)));
    }
    needed.push(labels.length);
  }
  needed.sort((one, other) => one - other);
  const labelsNeeded = {
    median: needed[Math.floor(needed.length / 2)],
    ninetyOf100: needed[Math.floor(0.9 * needed.length)],
    notKnown: needed.filter((count) => count >= MOST_ASKED).length,
  };
  return { target, coverage, labelsNeeded, faults };
}
