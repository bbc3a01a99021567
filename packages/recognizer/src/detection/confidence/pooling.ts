import type { Calibration } from '../../model/manifest.ts';
import { logOdds } from '../activation.ts';

/**
 * Pools clip scores into one: log-mean-exp with sharpness α, `ln(mean(exp(α·s)))/α`. It lies between the mean and the maximum,
 * nearer to the maximum the greater α is.
 *
 * @param scores 0…1; those from `from` up to `to` count, at least one
 */
export function logMeanExp(scores: Float64Array, alpha: number, from: number = 0, to: number = scores.length): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += Math.exp(alpha * (scores[index] ?? 0));
  return Math.log(sum / (to - from)) / alpha;
}

/** Pools the best clips only: the `bestClips` highest of the first `count` scores. May sort those in place, highest last. */
function poolBest(scores: Float64Array, count: number, pooling: Calibration['pooling']): number {
  if (count > pooling.bestClips) scores.subarray(0, count).sort();
  return logMeanExp(scores, pooling.alpha, Math.max(0, count - pooling.bestClips), count);
}

/** z: the log-odds of the pooled best of the first `count` scores, clipped to the manifest's range. May sort those in place. */
export function poolToZ(
  scores: Float64Array,
  count: number,
  { pooling, clipping }: Pick<Calibration, 'pooling' | 'clipping'>,
): number {
  return logOdds(Math.min(Math.max(poolBest(scores, count, pooling), clipping.score[0]), clipping.score[1]));
}

/**
 * The score of each unknown clip if all clips are pooled to `pooled` and the unknown ones are equal: the inverse of `poolBest`.
 *
 * @param known scores of the other clips, all at least as high; fewer than are pooled
 * @param clipCount known and unknown
 * @returns a score; negative or NaN if `pooled` is less than the known ones alone give
 */
export function evenRest(
  known: Float64Array,
  clipCount: number,
  pooled: number,
  { alpha, bestClips }: Calibration['pooling'],
): number {
  const pooledClips = Math.min(bestClips, clipCount);
  let sum = pooledClips * Math.exp(alpha * pooled);
  for (const score of known) sum -= Math.exp(alpha * score);
  return Math.log(sum / (pooledClips - known.length)) / alpha;
}
