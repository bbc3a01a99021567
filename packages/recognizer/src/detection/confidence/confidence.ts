/**
 * Confidence: how certain it is that a species is heard, worked out passage by passage from the evidence.
 *
 * Source: recognition design, section 4. Five numbers of a passage go in: z (log-odds of the pooled score), the species' margins
 * over its best rival by mean and by highest logit, how loud sounds other than birds are, and, with a place, the gap to z of the
 * first bird without it. They are weighted by the manifest's coefficients and put through a sigmoid.
 *
 * That is what the surest bird of a recording gets. A further one has coefficients of its own, because a small margin means less when
 * another bird is known to sing: see `FurtherBirds`.
 */
import type { Calibration } from '../../model/manifest.ts';
import { logOdds, sigmoid } from '../activation.ts';
import { clipCountOf, type Evidence, findInRow, passageCountOf } from '../evidence/evidence.ts';
import type { LocationAdjustment } from '../occurrence.ts';
import { type ClipRunConfidences, createClipRunConfidences } from './clip-run-confidence.ts';
import type { ConfidenceInputs } from './confidence-inputs.ts';
import { evenRest, poolToZ } from './pooling.ts';
import { enterRival, type Rivals, rivalOf, rivalsOf } from './rivals.ts';
import { sharedRanges } from './shared-range.ts';

type Range = readonly [number, number];

/** A bird that is less certain by itself than this is left as it is. */
export const LEAST_FURTHER = 0.05;

/** By how much the log-odds of a further bird stay below those of the surest, so that the surest remains the first. */
const JUST_LESS = 1e-6;

/** The confidences of one recording under one set of conditions. */
export interface Confidences extends ClipRunConfidences {
  /** By label: confidence of its best passage; 0 if it has none or the place hides it. */
  readonly best: Float64Array;
  /** By label: the passage with the highest confidence, or −1. */
  readonly bestPassage: Int32Array;
  /** A species' confidence in a passage, 0 if the passage has no data about it. */
  inPassage(passage: number, label: number): number;
  /** Inputs of that confidence, null if the passage has no data about the species. */
  inputsInPassage(passage: number, label: number): ConfidenceInputs | null;
  /** By passage: z of its first bird, or the lowest possible z if it has none. */
  readonly firstZ: Float64Array;
}

/** The effect of a place; `withoutPlace` holds the same recording's confidences without it. */
export interface PlaceInfluence {
  readonly adjustmentOf: (label: number) => LocationAdjustment;
  readonly withoutPlace: Confidences;
}

/**
 * Works out every species' best passage. A species is evaluated exactly only in passages where it could exceed its best so far, by
 * an upper bound that needs no exponential: z is at most the log-odds of the loudest clip, and a penalty does not raise it.
 *
 * The evidence holds z. At a place, z is pooled again, because the penalty applies to each clip before pooling. The clips below the
 * floor then share what z leaves for them. How it is split makes no difference, because in such low scores a penalty is a common
 * factor: with a floor of −8, z is as exact as its rounding.
 *
 * Rounding alone moves no confidence by more than 0.0004. One jump is inherent in the formula: if two birds are practically tied
 * for first in a passage, rounding decides from which of them the gap at a place is measured.
 *
 * @param minConfidence species that reach this in no passage are left out: in hours of audio, most species are always near 0
 * @param zones where species live (see `sharedRanges`); without them and without a place, further birds are judged like the surest
 */
export function workOutConfidences(
  evidence: Evidence,
  calibration: Calibration,
  place: PlaceInfluence | null,
  minConfidence: number,
  zones: Uint8Array | null = null,
): Confidences {
  const minSum = logOdds(minConfidence);
  const { clips, passages, labelCount, logitUnit } = evidence;
  const passageCount = passageCountOf(evidence);
  const { clipping } = calibration;
  const weights = place ? calibration.confidence.withPlace : calibration.confidence.withoutPlace;
  const { penalties, hidden } = effectsByLabel(labelCount, place);
  const pooledClips = Math.min(calibration.pooling.bestClips, passages.clipCount);
  const zRange: Range = [logOdds(clipping.score[0]), logOdds(clipping.score[1])];

  const meanRivals = rivalsOf(passageCount);
  const peakRivals = rivalsOf(passageCount);
  const nonBirds = new Float64Array(passageCount);
  const firstZ = new Float64Array(passageCount).fill(zRange[0]);
  // Sums before the sigmoid, which preserves their order.
  const bestSum = new Float64Array(labelCount).fill(-Infinity);
  const bestPassage = new Int32Array(labelCount).fill(-1);
  const logits = new Float64Array(passages.clipCount);
  const scores = new Float64Array(passages.clipCount);

  /** Upper bound of z of entry `at` of a passage; exact without a penalty. */
  const highestZOf = (at: number): number => {
    const penalty = penalties[passages.labels[at] ?? 0] ?? 0;
    const highest = clamp(logitUnit * (passages.peaks[at] ?? 0) + penalty, zRange);
    return penalty > 0 ? highest : Math.min(highest, logitUnit * (passages.zs[at] ?? 0));
  };

  /** z of entry `at` of a passage. */
  const zOf = (passage: number, at: number): number => {
    const label = passages.labels[at] ?? 0;
    const penalty = penalties[label] ?? 0;
    const highest = highestZOf(at);
    if (penalty === 0 || highest === zRange[0]) return highest;
    const firstClip = passages.firstClips[passage] ?? 0;
    let found = 0;
    for (let clip = firstClip; clip < firstClip + passages.clipCount; clip++) {
      const index = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
      if (index >= 0) logits[found++] = logitUnit * (clips.logits[index] ?? 0);
    }
    scores.fill(found < pooledClips ? faintScoreOf(at, logits.subarray(0, found), penalty) : 0);
    for (let index = 0; index < found; index++) scores[index] = sigmoid((logits[index] ?? 0) + penalty);
    // Rounding may lift the result slightly above the bound.
    return Math.min(poolToZ(scores, scores.length, calibration), highest);
  };

  /** The score, at the place, of a clip below the floor, derived from z and the clips above it. */
  const faintScoreOf = (at: number, known: Float64Array, penalty: number): number => {
    const left = evenRest(
      known.map(sigmoid),
      passages.clipCount,
      sigmoid(logitUnit * (passages.zs[at] ?? 0)),
      calibration.pooling,
    );
    if (!(left > 0)) return 0;
    return sigmoid(Math.min(logOdds(left), clips.floor, logitUnit * (passages.peaks[at] ?? 0)) + penalty);
  };

  const meanMarginOf = (passage: number, at: number): number => {
    const label = passages.labels[at] ?? 0;
    const mean = logitUnit * (passages.means[at] ?? 0) + (penalties[label] ?? 0);
    return clamp(mean - rivalOf(meanRivals, passage, label), clipping.meanMargin);
  };

  const maxMarginOf = (passage: number, at: number): number => {
    const label = passages.labels[at] ?? 0;
    const peak = logitUnit * (passages.peaks[at] ?? 0) + (penalties[label] ?? 0);
    return clamp(peak - rivalOf(peakRivals, passage, label), clipping.maxMargin);
  };

  const sumWithoutZ = (passage: number, at: number): number =>
    weights.meanMargin * meanMarginOf(passage, at) +
    weights.maxMargin * maxMarginOf(passage, at) +
    weights.nonBird * (nonBirds[passage] ?? 0) +
    weights.bias;

  const rowOf = (passage: number, label: number): number =>
    hidden[label] === 1
      ? -1
      : findInRow(passages.labels, passages.offsets[passage] ?? 0, passages.offsets[passage + 1] ?? 0, label);

  /** 0 without a place */
  const gapOf = (z: number, passage: number): number =>
    place === null ? 0 : clamp((place.withoutPlace.firstZ[passage] ?? 0) - z, clipping.gap);

  /** Must rise with z, because the upper bound relies on it: z must not have a negative weight, nor the gap a positive one. */
  const zTerm = (z: number, passage: number): number => weights.z * z + weights.gap * gapOf(z, passage);

  // The next two are separate functions, which V8 compiles better: they process millions of entries.
  const enterRivals = (passage: number, from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const label = passages.labels[at] ?? 0;
      if (hidden[label] === 1) continue;
      const penalty = penalties[label] ?? 0;
      enterRival(meanRivals, passage, label, logitUnit * (passages.means[at] ?? 0) + penalty);
      enterRival(peakRivals, passage, label, logitUnit * (passages.peaks[at] ?? 0) + penalty);
    }
    boundRivals(evidence, passage, meanRivals, peakRivals);
  };

  const compareBirds = (passage: number, from: number, to: number): void => {
    let passageBest = -Infinity;
    for (let at = from; at < to; at++) {
      const label = passages.labels[at] ?? 0;
      if (hidden[label] === 1) continue;
      const without = sumWithoutZ(passage, at);
      const bound = without + zTerm(highestZOf(at), passage);
      if ((bound <= (bestSum[label] ?? 0) || bound < minSum) && bound <= passageBest) continue;
      const z = zOf(passage, at);
      const sum = without + zTerm(z, passage);
      if (sum > passageBest) {
        passageBest = sum;
        firstZ[passage] = z;
      }
      if (sum > (bestSum[label] ?? 0)) {
        bestSum[label] = sum;
        bestPassage[label] = passage;
      }
    }
  };

  for (let passage = 0; passage < passageCount; passage++) {
    const from = passages.offsets[passage] ?? 0;
    const to = passages.offsets[passage + 1] ?? 0;
    nonBirds[passage] = clamp(nonBirdMean(evidence, passage), clipping.nonBird);
    enterRivals(passage, from, to);
    compareBirds(passage, from, to);
  }

  for (let label = 0; label < labelCount; label++) {
    if ((bestSum[label] ?? 0) >= minSum) continue;
    bestSum[label] = -Infinity;
    bestPassage[label] = -1;
  }

  const { furtherBirds } = calibration;
  const further = place !== null ? furtherBirds?.withPlace : zones !== null ? furtherBirds?.withoutPlace : undefined;
  const surest = indexOfHighest(bestSum);
  const highestSum = bestSum[surest] ?? 0;
  /** By label of a further bird: what does not depend on the passage. */
  const furtherBias = new Map<number, number>();
  const sumOfInputs = (label: number, passage: number, inputs: Omit<ConfidenceInputs, 'gap'>): number => {
    const { z } = inputs;
    const meanMargin = clamp(inputs.meanMargin, clipping.meanMargin);
    const nonBird = clamp(inputs.nonBird, clipping.nonBird);
    const ofLabel = furtherBias.get(label);
    if (further === undefined || ofLabel === undefined) {
      const maxMargin = clamp(inputs.maxMargin, clipping.maxMargin);
      const margins = weights.meanMargin * meanMargin + weights.maxMargin * maxMargin;
      return margins + weights.nonBird * nonBird + weights.bias + zTerm(z, passage);
    }
    const margin = (meanMargin > 0 ? further.lead : further.trail) * meanMargin;
    return Math.min(further.z * z + margin + further.nonBird * nonBird + ofLabel, highestSum - JUST_LESS);
  };
  const inputsInPassage = (passage: number, label: number): ConfidenceInputs | null => {
    const at = rowOf(passage, label);
    if (at < 0) return null;
    const z = zOf(passage, at);
    return {
      z,
      meanMargin: meanMarginOf(passage, at),
      maxMargin: maxMarginOf(passage, at),
      nonBird: nonBirds[passage] ?? 0,
      gap: gapOf(z, passage),
    };
  };
  const sumInPassage = (passage: number, label: number): number => {
    const inputs = inputsInPassage(passage, label);
    return inputs === null ? -Infinity : sumOfInputs(label, passage, inputs);
  };
  if (further !== undefined) {
    const least = logOdds(LEAST_FURTHER);
    const heard: number[] = [];
    for (let label = 0; label < labelCount; label++) if ((bestSum[label] ?? 0) >= least) heard.push(label);
    const ranges = further.sharedRange === 0 ? null : sharedRanges(bestSum.map(sigmoid), heard, zones ?? new Uint8Array());
    for (const label of heard) {
      if (label === surest) continue;
      furtherBias.set(label, further.bias + further.sharedRange * Math.log(ranges?.get(label) ?? 1));
      bestSum[label] = sumInPassage(bestPassage[label] ?? 0, label);
    }
  }
  return {
    best: bestSum.map(sigmoid),
    bestPassage,
    firstZ,
    inPassage: (passage, label) => sigmoid(sumInPassage(passage, label)),
    ...createClipRunConfidences({
      evidence,
      calibration,
      atPlace: place !== null,
      penalties,
      hidden,
      logOddsIn: sumInPassage,
      logOddsOf: sumOfInputs,
    }),
    inputsInPassage,
  };
}

function indexOfHighest(values: Float64Array): number {
  let highest = 0;
  for (let index = 1; index < values.length; index++) if ((values[index] ?? 0) > (values[highest] ?? 0)) highest = index;
  return highest;
}

function effectsByLabel(labelCount: number, place: PlaceInfluence | null): { penalties: Float64Array; hidden: Uint8Array } {
  const penalties = new Float64Array(labelCount);
  const hidden = new Uint8Array(labelCount);
  if (place) {
    for (let label = 0; label < labelCount; label++) {
      const adjustment = place.adjustmentOf(label);
      penalties[label] = adjustment.penalty;
      hidden[label] = adjustment.hidden ? 1 : 0;
    }
  }
  return { penalties, hidden };
}

function nonBirdMean(evidence: Evidence, passage: number): number {
  const { nonBirdPeaks } = evidence.clips;
  const first = evidence.passages.firstClips[passage] ?? 0;
  const end = Math.min(first + evidence.passages.clipCount, clipCountOf(evidence));
  let sum = 0;
  for (let clip = first; clip < end; clip++) sum += nonBirdPeaks[clip] ?? 0;
  return (evidence.logitUnit * sum) / (end - first);
}

/** Birds left out of the evidence are rivals too. All that is known of them is that they are no higher than the floor. */
function boundRivals(evidence: Evidence, passage: number, means: Rivals, peaks: Rivals): void {
  const meanFloor = evidence.passages.meanFloors[passage] ?? -Infinity;
  if (meanFloor === -Infinity) return;
  means.second[passage] = Math.max(means.second[passage] ?? 0, meanFloor);
  peaks.second[passage] = Math.max(peaks.second[passage] ?? 0, meanFloor);
}

function clamp(value: number, range: Range): number {
  // By index: destructuring runs an iterator, and this runs millions of times.
  const low = range[0];
  const high = range[1];
  return Math.min(Math.max(value, low), high);
}
