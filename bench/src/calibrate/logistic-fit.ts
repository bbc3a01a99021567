/**
 * Logistic regression by Newton's method (iteratively reweighted least squares), with a small penalty on the squared coefficients, so
 * that perfectly separable data has a solution too. The last coefficient is the bias; it is not penalised.
 */
import { Matrix, solve } from 'ml-matrix';

/** One claim. */
export interface LogisticRow {
  readonly inputs: readonly number[];
  /** whether the claim is right */
  readonly right: boolean;
  /** number of rows this one stands for */
  readonly weight: number;
}

const MAX_STEPS = 100;
const CONVERGED = 1e-10;

/**
 * @param penalty λ of ½·λ·Σβ², in units of one row
 * @returns a coefficient for each input, then the bias
 * @throws RangeError when there are no rows, or rows of unequal length
 */
export function fitLogistic(rows: readonly LogisticRow[], penalty: number): number[] {
  const [first] = rows;
  if (!first) throw new RangeError('no rows to fit');
  const inputCount = first.inputs.length;
  if (rows.some(({ inputs }) => inputs.length !== inputCount)) throw new RangeError('rows of unequal length');
  const size = inputCount + 1;
  let coefficients = new Array<number>(size).fill(0);
  let loss = lossOf(rows, coefficients, penalty);

  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = coefficients.map((coefficient, i) => (i < inputCount ? penalty * coefficient : 0));
    const curvature = gradient.map((_, i) => gradient.map((_, j) => (i === j && i < inputCount ? penalty : 0)));
    for (const { inputs, right, weight } of rows) {
      const chance = chanceOf(coefficients, inputs);
      const miss = weight * (chance - (right ? 1 : 0));
      // Never 0: otherwise the matrix would be singular when every row is predicted with certainty.
      const slope = Math.max(weight * chance * (1 - chance), 1e-12);
      for (let i = 0; i < size; i++) {
        const a = inputs[i] ?? 1;
        gradient[i] = (gradient[i] ?? 0) + miss * a;
        const curvatureRow = curvature[i] ?? [];
        for (let j = 0; j < size; j++) curvatureRow[j] = (curvatureRow[j] ?? 0) + slope * a * (inputs[j] ?? 1);
      }
    }
    const direction = solve(curvature, Matrix.columnVector(gradient)).to1DArray();
    // A full step may overshoot far beyond the minimum, so halve it until the loss no longer rises.
    let scale = 1;
    let next = coefficients;
    let nextLoss = Number.POSITIVE_INFINITY;
    for (let halving = 0; halving < 30 && !(nextLoss <= loss); halving++, scale /= 2) {
      const reach = scale;
      next = coefficients.map((coefficient, i) => coefficient - reach * (direction[i] ?? 0));
      nextLoss = lossOf(rows, next, penalty);
    }
    if (!(nextLoss <= loss)) return coefficients;
    const moved = Math.max(...next.map((coefficient, i) => Math.abs(coefficient - (coefficients[i] ?? 0))));
    coefficients = next;
    loss = nextLoss;
    if (moved < CONVERGED) return coefficients;
  }
  return coefficients;
}

/** How likely a claim is right. @param coefficients one for each input, then the bias */
export function chanceOf(coefficients: readonly number[], inputs: readonly number[]): number {
  const sum = coefficients.reduce((total, coefficient, i) => total + coefficient * (inputs[i] ?? 1), 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Weighted mean of −ln(chance given to the actual outcome). */
export function logLoss(
  claims: readonly { readonly chance: number; readonly right: boolean; readonly weight: number }[],
): number {
  const total = claims.reduce((sum, { weight }) => sum + weight, 0);
  return claims.reduce((sum, claim) => sum + claim.weight * surprise(claim.chance, claim.right), 0) / total;
}

function surprise(chance: number, right: boolean): number {
  return -Math.log(Math.max(right ? chance : 1 - chance, 1e-15));
}

function lossOf(rows: readonly LogisticRow[], coefficients: readonly number[], penalty: number): number {
  const ridge = coefficients.slice(0, -1).reduce((sum, coefficient) => sum + coefficient * coefficient, 0);
  return rows.reduce(
    (sum, { inputs, right, weight }) => sum + weight * surprise(chanceOf(coefficients, inputs), right),
    0.5 * penalty * ridge,
  );
}
