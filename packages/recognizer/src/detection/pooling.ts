import type { Calibration } from '../model/manifest.ts';

/**
 * Pools clip scores to one: log-mean-exp with sharpness α, `ln(mean(exp(α·s)))/α`. Between the mean and the highest, nearer to
 * the highest the sharper it is.
 *
 * @param scores 0…1, at least one
 */
export function logMeanExp(scores: Float64Array, alpha: number): number {
  let sum = 0;
  for (const score of scores) sum += Math.exp(alpha * score);
  return Math.log(sum / scores.length) / alpha;
}

/** Pools the best clips only: the `bestClips` highest of the scores. Sorts `scores` in place, highest last. */
export function poolBest(scores: Float64Array, pooling: Calibration['pooling']): number {
  if (scores.length > pooling.bestClips) scores.sort();
  return logMeanExp(scores.subarray(Math.max(0, scores.length - pooling.bestClips)), pooling.alpha);
}
