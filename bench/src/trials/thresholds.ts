import { findThreshold, fitPosterior, inputOf, type LabelledScore, learnPrior } from '@chiffchaff/survey/thresholds';
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

/**
 * Finds thresholds for simulated detections, whose truth is known: how often the 90 % interval contains it, and how far
 * the estimate is from it.
 */
export function runThresholds({ sets, species, target, seed }: ThresholdsOptions) {
  const chance = createChance(seed);
  const faults: string[] = [];
  const coverage: Record<string, unknown>[] = [];
  for (const count of LABELS) {
    let [held, tried, error] = [0, 0, 0];
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
        error += Math.abs(found.precision - truth);
        tried += 1;
      }
    }
    const share = held / tried;
    if (share < 0.85 || share > 0.95)
      faults.push(`with ${count} labels, the interval of 90 % holds ${round(100 * share, 1)} % of the time`);
    coverage.push({ labels: count, held: round(share, 3), tried, error: round(error / tried, 3) });
  }
  return { target, coverage, faults };
}
