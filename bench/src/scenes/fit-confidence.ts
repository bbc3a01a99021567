/**
 * Fits what a recording of one bird says little about: the confidence of further birds, those of a recording in which another is surer,
 * and of detections (`furtherBirds` and `detections` in `calibration.json`). Called by `npm run evaluate -- --scenes SPLIT`, which prints
 * the coefficients. Those of detections hold for the further birds of the calibration in use.
 */
import type { Calibration, Evidence } from '@chiffchaff/recognizer';
import { fitLogistic, type LogisticRow } from '../calibrate/logistic-fit.ts';
import type { ModelUnderTest } from '../evaluate/open-model-under-test.ts';
import { round } from '../harness/measures.ts';
import type { ClaimState } from './hear-scenes.ts';

/**
 * How much a recording of one bird counts beside a scene for further birds. They are nearly all wrong there, because few that sing in the
 * background are labelled. With 1, the words of scenes say less than is true; with 0, a quarter more birds are named in recordings of one.
 */
const ONE_BIRD_WEIGHT = 0.5;
const PENALTY = 1;

type FurtherBirds = NonNullable<Calibration['furtherBirds']>;
type Detections = NonNullable<Calibration['detections']>;

/** What is known of the birds in a scene or recording. */
interface Known {
  readonly evidence: Evidence;
  readonly stateOf: (label: number) => ClaimState;
  readonly isScene: boolean;
}

const noRows = () => ({ furtherBirds: [] as LogisticRow[], detections: [] as LogisticRow[] });

export function createConfidenceFit(model: Pick<ModelUnderTest, 'furtherBirds' | 'detectionInputs'>) {
  const rows = { withoutPlace: noRows(), withPlace: noRows() };
  const add = (to: ReturnType<typeof noRows>, { evidence, stateOf, isScene }: Known, occurrence: Float32Array | null): void => {
    const rowsOf = (claims: ReturnType<ModelUnderTest['furtherBirds']>, weight: number): LogisticRow[] =>
      claims.flatMap(({ label, inputs }) => {
        const state = stateOf(label);
        return state === 'unknown' ? [] : [{ inputs, right: state === 'right', weight }];
      });
    to.furtherBirds.push(...rowsOf(model.furtherBirds(evidence, occurrence), isScene ? 1 : ONE_BIRD_WEIGHT));
    to.detections.push(...rowsOf(model.detectionInputs(evidence, occurrence), 1));
  };
  return {
    /** @param occurrence by label at its place; null where none fits */
    add(known: Known, occurrence: Float32Array | null): void {
      add(rows.withoutPlace, known, null);
      if (occurrence !== null) add(rows.withPlace, known, occurrence);
    },
    /** @returns null for what there was none of */
    coefficients() {
      const both = <Coefficients>(kind: keyof ReturnType<typeof noRows>, named: (fitted: readonly number[]) => Coefficients) => {
        const { withoutPlace, withPlace } = rows;
        if (withoutPlace[kind].length === 0 || withPlace[kind].length === 0) return null;
        const fit = (set: typeof withPlace) => named(fitLogistic(set[kind], PENALTY).map((value) => round(value, 3)));
        return { withoutPlace: fit(withoutPlace), withPlace: fit(withPlace) };
      };
      return { furtherBirds: both('furtherBirds', furtherBirdsNamed), detections: both('detections', detectionsNamed) };
    },
  };
}

function furtherBirdsNamed(fitted: readonly number[]): FurtherBirds['withPlace'] {
  const [z = 0, lead = 0, trail = 0, nonBird = 0, sharedRange = 0, bias = 0] = fitted;
  return { z, lead, trail, nonBird, sharedRange, bias };
}

function detectionsNamed(fitted: readonly number[]): Detections['withPlace'] {
  const [logit = 0, shortPassage = 0, passage = 0, bias = 0] = fitted;
  return { logit, shortPassage, passage, bias };
}
