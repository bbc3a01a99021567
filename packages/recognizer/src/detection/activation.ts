import type { ModelManifest } from '../model/manifest.ts';

/** σ(x): the score that a logit stands for. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** ln(p / (1 − p)): the logit that a score stands for. */
export function logOdds(score: number): number {
  return Math.log(score / (1 - score));
}

/** Scores are limited to this distance from 0 and 1 before their log-odds are taken; about the resolution of float32. */
const SCORE_MARGIN = 1e-7;

/**
 * Converts a clip's outputs to the log-odds of its scores, so that later code sees one kind of number whatever the model's last
 * layer is. The outputs of a graph whose sigmoid is outside, such as BirdNET's, are log-odds already.
 */
export function writeLogits(activation: ModelManifest['audio']['activation'], outputs: Float32Array, target: Float32Array): void {
  switch (activation) {
    case 'sigmoid':
      target.set(outputs);
      return;
    case 'none':
      for (let label = 0; label < outputs.length; label++) {
        target[label] = logOdds(Math.min(Math.max(outputs[label] ?? 0, SCORE_MARGIN), 1 - SCORE_MARGIN));
      }
      return;
    case 'softmax': {
      const highest = outputs.reduce((a, b) => Math.max(a, b), -Infinity);
      let sum = 0;
      for (const output of outputs) sum += Math.exp(output - highest);
      for (let label = 0; label < outputs.length; label++) {
        const score = Math.exp((outputs[label] ?? 0) - highest) / sum;
        target[label] = logOdds(Math.min(Math.max(score, SCORE_MARGIN), 1 - SCORE_MARGIN));
      }
    }
  }
}
