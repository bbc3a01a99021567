import { InputError } from '@chiffchaff/cli';
import { type Claim, type ConfidenceCoefficients, claimsOf, type Trial } from './claims.ts';
import { rounded } from './count-evidence.ts';
import { fitLogistic } from './logistic-fit.ts';

export interface FitOptions {
  /** first claims of each recording that are fitted on */
  readonly claims: number;
  readonly penalty: number;
  /** The coefficients decide which passage of a species is best, so the choice and the fit are repeated this many times. */
  readonly rounds: number;
}

/** A fit starts from the score alone and never from an earlier fit. */
const SCORE_ALONE: ConfidenceCoefficients = { z: 1, meanMargin: 0, maxMargin: 0, nonBird: 0, gap: 0, bias: 0 };

const TOO_ALIKE =
  'The recordings are too few or too much alike: each is judged by a fit that has met neither its species nor its source, and for some of them nothing is left to fit. Recordings of other species are needed.';

/**
 * @returns coefficients rounded to four decimals, as they are stored
 * @throws InputError when no recording has a claim
 */
export function fitConfidence(trials: readonly Trial[], { claims, penalty, rounds }: FitOptions): ConfidenceCoefficients {
  let coefficients = SCORE_ALONE;
  for (let round = 0; round < rounds; round++) {
    const rows = trials.flatMap((trial) =>
      claimsOf(trial, coefficients, claims).map(({ inputs, right }) => ({ inputs, right, weight: trial.weight })),
    );
    if (rows.length === 0) throw new InputError(TOO_ALIKE);
    coefficients = namedCoefficients(fitLogistic(rows, penalty));
  }
  return coefficients;
}

/**
 * Evaluates every trial with a fit to the trials of the other folds.
 * @returns each trial's first `count` claims, in order
 */
export function claimsOutOfFold(trials: readonly Trial[], options: FitOptions, count: number): Claim[][] {
  const fits = new Map<number, ConfidenceCoefficients>();
  return trials.map((trial) => {
    const fit = fits.get(trial.fold) ?? fitWithout(trials, trial.fold, options);
    fits.set(trial.fold, fit);
    return claimsOf(trial, fit, count);
  });
}

function fitWithout(trials: readonly Trial[], fold: number, options: FitOptions): ConfidenceCoefficients {
  return fitConfidence(
    trials.filter((trial) => trial.fold !== fold),
    options,
  );
}

function namedCoefficients(fitted: readonly number[]): ConfidenceCoefficients {
  const inputs = fitted.map(rounded);
  const bias = inputs.pop() ?? 0;
  // The gap is there only at a place.
  const [z = 0, meanMargin = 0, maxMargin = 0, nonBird = 0, gap = 0] = inputs;
  return { z, meanMargin, maxMargin, nonBird, gap, bias };
}
