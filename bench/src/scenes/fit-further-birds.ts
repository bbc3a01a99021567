/**
 * Fits the confidence of further birds, those of a recording in which another is surer (`furtherBirds` in `calibration.json`). Called by
 * `npm run evaluate -- --scenes SPLIT`, which prints the coefficients.
 */
import type { Calibration, Evidence } from '@chiffchaff/recognizer';
import { fitLogistic, type LogisticRow } from '../calibrate/logistic-fit.ts';
import type { ModelUnderTest } from '../evaluate/open-model-under-test.ts';
import { round } from '../harness/measures.ts';
import type { ClaimState } from './hear-scenes.ts';

/**
 * How much a recording of one bird counts beside a scene. Its further birds are nearly all wrong, because few that sing in the background
 * are labelled. With 1, the words of scenes say less than is true; with 0, a quarter more birds are named in recordings of one.
 */
const ONE_BIRD_WEIGHT = 0.5;
const PENALTY = 1;

type FurtherBirds = NonNullable<Calibration['furtherBirds']>;

/** What is known of the birds in a scene or recording. */
interface Known {
  readonly evidence: Evidence;
  readonly stateOf: (label: number) => ClaimState;
  readonly isScene: boolean;
}

export function createFurtherBirdFit({ furtherBirds }: Pick<ModelUnderTest, 'furtherBirds'>) {
  const rows = { withoutPlace: [] as LogisticRow[], withPlace: [] as LogisticRow[] };
  const add = (to: LogisticRow[], { evidence, stateOf, isScene }: Known, occurrence: Float32Array | null): void => {
    for (const { label, inputs } of furtherBirds(evidence, occurrence)) {
      const state = stateOf(label);
      if (state !== 'unknown') to.push({ inputs, right: state === 'right', weight: isScene ? 1 : ONE_BIRD_WEIGHT });
    }
  };
  return {
    /** @param occurrence by label at its place; null where none fits */
    add(known: Known, occurrence: Float32Array | null): void {
      add(rows.withoutPlace, known, null);
      if (occurrence !== null) add(rows.withPlace, known, occurrence);
    },
    /** @returns null if there are no further birds */
    coefficients(): FurtherBirds | null {
      if (rows.withoutPlace.length === 0 || rows.withPlace.length === 0) return null;
      return { withoutPlace: coefficientsOf(rows.withoutPlace), withPlace: coefficientsOf(rows.withPlace) };
    },
  };
}

function coefficientsOf(rows: readonly LogisticRow[]): FurtherBirds['withPlace'] {
  const [z = 0, lead = 0, trail = 0, nonBird = 0, sharedRange = 0, bias = 0] = fitLogistic(rows, PENALTY).map((coefficient) =>
    round(coefficient, 3),
  );
  return { z, lead, trail, nonBird, sharedRange, bias };
}
