import {
  findThreshold,
  fitPosterior,
  inputOf,
  type LabelledScore,
  learnPrior,
  type Threshold,
} from '@chiffchaff/survey/thresholds';
import { mean, round } from '../harness/measures.ts';
import { type Chance, createChance } from '../harness/random.ts';

export interface ThresholdsOptions {
  readonly sets: number;
  readonly species: number;
  readonly target: number;
  readonly seed: number;
}

const SHAPES = ['logistic', 'ceiling', 'step'] as const;
/** With fewer than ten, no species may lose detections; the others are held to the limits. */
const LABELS = [2, 10, 30, 100] as const;
const DETECTIONS = 300;
/** Confidences below this are in no table. */
const LEAST_CONFIDENCE = 0.05;
interface Species {
  readonly confidences: readonly number[];
  /** probability that a detection is right, known only to this trial */
  readonly truthAt: (confidence: number) => number;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const normal = (chance: Chance): number =>
  Math.sqrt(-2 * Math.log(chance.next() + 1e-12)) * Math.cos(2 * Math.PI * chance.next());

/**
 * Makes a species whose confidence is too high or too low, as in our tests of the model. With a ceiling, 80 to 97 % of the surest detections
 * are right; with a step, as many above some confidence, and few below.
 */
function makeSpecies(chance: Chance, shape: (typeof SHAPES)[number]): Species {
  const [a, b] = [-0.3 + normal(chance), Math.max(0.15, 0.9 + 0.3 * normal(chance))];
  const [ceiling, step, below] = [0.8 + 0.17 * chance.next(), 0.3 + 0.5 * chance.next(), 0.4 * chance.next()];
  const draw = () => Math.max(LEAST_CONFIDENCE, sigmoid(-0.5 + 1.8 * normal(chance)));
  return {
    confidences: Array.from({ length: DETECTIONS }, () => Math.round(1e4 * draw()) / 1e4),
    truthAt: {
      logistic: (confidence: number) => sigmoid(a + b * inputOf(confidence)),
      ceiling: (confidence: number) => ceiling * sigmoid(a + 2 * b * inputOf(confidence)),
      step: (confidence: number) => (confidence < step ? below : ceiling),
    }[shape],
  };
}

const label = (chance: Chance, { truthAt }: Species, confidence: number): LabelledScore => ({
  confidence,
  isRight: chance.next() < truthAt(confidence),
});

type Tried = Threshold & { readonly truth: number };

/** Finds the threshold of each species of a survey; adds the true precision of what is kept, of the most confident when nothing is. */
function trySurvey(chance: Chance, made: readonly Species[], { labels, target }: { labels: number; target: number }): Tried[] {
  const labelled = made.map((each) =>
    Array.from({ length: labels }, () => label(chance, each, chance.pick(each.confidences) ?? 0)),
  );
  const prior = learnPrior(labelled);
  return made.map(({ confidences, truthAt }, index) => {
    const found = findThreshold(fitPosterior(labelled[index] ?? [], prior), confidences, target);
    const from = found.outcome === 'no confidence is high enough' ? Math.max(...confidences) : (found.threshold ?? 0);
    return { ...found, truth: mean(confidences.filter((confidence) => confidence >= from).map(truthAt)) };
  });
}

/** How often the interval holds the truth, and how many are right above the thresholds that were found. */
function figuresOf(tried: readonly Tried[]) {
  const held = mean(tried.map(({ precisionInterval: { low, high }, truth }) => (low <= truth && truth <= high ? 1 : 0)));
  const [found, removed] = (['found', 'no confidence is high enough'] as const).map((each) =>
    tried.filter(({ outcome }) => outcome === each),
  );
  const precision = found?.length ? round(mean(found.map(({ truth }) => truth)), 3) : null;
  return { tried: tried.length, held: round(held, 3), found: found?.length, precision, removed: removed?.length };
}

/** Finds thresholds for simulated detections, whose truth is known, for curves of several shapes and numbers of labels. */
export function runThresholds({ sets, species, target, seed }: ThresholdsOptions) {
  const chance = createChance(seed);
  const faults: string[] = [];
  const coverage: Record<string, unknown>[] = [];
  for (const shape of SHAPES) {
    const all: Tried[] = [];
    for (const labels of LABELS) {
      const made = () => Array.from({ length: species }, () => makeSpecies(chance, shape));
      const tried = Array.from({ length: sets }, () => trySurvey(chance, made(), { labels, target })).flat();
      coverage.push({ shape, labels, ...figuresOf(tried) });
      if (labels >= 10) all.push(...tried);
      else if (tried.some(({ kept }) => kept < 1)) faults.push(`${shape}: species with ${labels} labels have lost detections`);
    }
    const { held, precision } = figuresOf(all);
    if (held < 0.85) faults.push(`${shape}: the interval of 90 % holds the truth of ${held}`);
    if (precision !== null && precision < target - 0.02) faults.push(`${shape}: above the thresholds, ${precision} are right`);
  }
  return { target, coverage, faults };
}
