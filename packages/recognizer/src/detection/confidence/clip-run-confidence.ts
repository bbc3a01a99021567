/**
 * Confidence of a single detection. A passage's confidence ranks recordings well, but a faint and a loud call within the same nine
 * seconds get the same value, and a clear call beside another bird's song gets too low a one. So the clips around the detection's
 * loudest one count too, with coefficients that were fitted to detections.
 */
import type { Calibration } from '../../model/manifest.ts';
import { sigmoid } from '../activation.ts';
import type { ClipRun } from '../clip-runs.ts';
import { clipCountOf, type Evidence, findInRow, loudestClip, passageCountOf } from '../evidence/evidence.ts';
import type { ConfidenceInputs } from './confidence-inputs.ts';
import { poolToZ } from './pooling.ts';
import { enterRival, rivalOf, rivalsOf } from './rivals.ts';

/** Inputs of the confidence of a detection. */
export interface DetectionInputs {
  /** of its loudest clip, including the penalty at a place */
  readonly logit: number;
  /** log-odds of the confidence in the few clips around that one */
  readonly shortPassage: number;
  /** log-odds of the best confidence among the passages that it touches */
  readonly passage: number;
}

export type ClipRunConfidences = ReturnType<typeof createClipRunConfidences>;

/** What the confidence of a detection needs to know about the recording's passages, under one set of conditions. */
interface Passages {
  readonly evidence: Evidence;
  readonly calibration: Calibration;
  readonly atPlace: boolean;
  /** by label; 0 without a place */
  readonly penalties: Float64Array;
  /** by label: 1 if the place hides it */
  readonly hidden: Uint8Array;
  /** Log-odds of the confidence in a passage, −∞ if it has no data about the species. */
  readonly logOddsIn: (passage: number, label: number) => number;
  /** Log-odds of the confidence in a part of a passage, from unclipped inputs. */
  readonly logOddsOf: (label: number, passage: number, inputs: Omit<ConfidenceInputs, 'gap'>) => number;
}

/** Clips of a short passage if the model has no coefficients for detections; they are then not used. */
const DEFAULT_CLIPS = 3;

export function createClipRunConfidences(passages: Passages) {
  const { evidence, calibration, penalties } = passages;
  const { clips, logitUnit } = evidence;
  const { detections } = calibration;
  const clipCount = Math.min(detections?.shortPassageClips ?? DEFAULT_CLIPS, clipCountOf(evidence));
  const windows = createWindows(passages, clipCount);
  const scores = new Float64Array(clipCount);

  const bestPassage = (run: ClipRun): { readonly passage: number; readonly logOdds: number } => {
    let [best, highest] = [-1, -Infinity];
    for (let passage = firstPassageReaching(evidence, run.firstClip); passage < passageCountOf(evidence); passage++) {
      if ((evidence.passages.firstClips[passage] ?? 0) > run.lastClip) break;
      const logOdds = passages.logOddsIn(passage, run.label);
      if (logOdds > highest) [best, highest] = [passage, logOdds];
    }
    return { passage: best, logOdds: highest };
  };

  const inputsInRun = (run: ClipRun, isBird: Uint8Array): DetectionInputs | null => {
    const { label } = run;
    const { passage, logOdds } = bestPassage(run);
    if (passage < 0) return null;
    const penalty = penalties[label] ?? 0;
    const first = windows.around(loudestClip(evidence, label, run.firstClip, run.lastClip), isBird);
    let sum = 0;
    for (let index = 0; index < clipCount; index++) {
      const clip = first + index;
      const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
      const logit = (at < 0 ? clips.floor : logitUnit * (clips.logits[at] ?? 0)) + penalty;
      scores[index] = sigmoid(logit);
      sum += logit;
    }
    const logit = run.peak + penalty;
    const shortPassage = passages.logOddsOf(label, passage, {
      z: poolToZ(scores, clipCount, calibration),
      meanMargin: sum / clipCount - rivalOf(windows.means, first, label),
      maxMargin: logit - rivalOf(windows.peaks, first, label),
      nonBird: windows.nonBirds[first] ?? 0,
    });
    return { logit, shortPassage, passage: logOdds };
  };

  return {
    /** Among the passages that a detection touches, the one with the highest confidence; −1 if none has any. */
    passageOf: (run: ClipRun): number => bestPassage(run).passage,
    /** Inputs of the confidence of a detection, null if it is 0. */
    inputsInRun,
    /** The confidence of a detection, 0 if the place hides it. @param isBird by label */
    inRun(run: ClipRun, isBird: Uint8Array): number {
      if (detections === null) return sigmoid(bestPassage(run).logOdds);
      const inputs = inputsInRun(run, isBird);
      if (inputs === null) return 0;
      const weights = passages.atPlace ? detections.withPlace : detections.withoutPlace;
      return sigmoid(
        weights.logit * inputs.logit +
          weights.shortPassage * inputs.shortPassage +
          weights.passage * inputs.passage +
          weights.bias,
      );
    },
  };
}

/**
 * Short passages around clips, indexed by their first clip: the loudest birds by mean and by highest logit, and other sounds. Works out
 * each window once: a clip may be the loudest of many detections. All windows share their arrays, because small ones lie
 * outside V8's heap, where ten hours of them took 27 MB before they were collected.
 */
function createWindows({ evidence, penalties, hidden }: Passages, clipCount: number) {
  const { clips, logitUnit } = evidence;
  const windowCount = clipCountOf(evidence) - clipCount + 1;
  const means = rivalsOf(windowCount);
  const peaks = rivalsOf(windowCount);
  const nonBirds = new Float64Array(windowCount);
  const isKnown = new Uint8Array(windowCount);
  // By label, in the current window: its highest logit, and by how much its logits are above the floor in total.
  const highest = new Float64Array(evidence.labelCount).fill(-Infinity);
  const sums = new Float64Array(evidence.labelCount);
  const floor = Number.isFinite(clips.floor) ? clips.floor : 0;

  const workOut = (first: number, isBird: Uint8Array): void => {
    const heard: number[] = [];
    let nonBird = 0;
    for (let clip = first; clip < first + clipCount; clip++) {
      nonBird += (logitUnit * (clips.nonBirdPeaks[clip] ?? 0)) / clipCount;
      for (let at = clips.offsets[clip] ?? 0; at < (clips.offsets[clip + 1] ?? 0); at++) {
        const label = clips.labels[at] ?? 0;
        if (isBird[label] !== 1 || hidden[label] === 1) continue;
        const logit = logitUnit * (clips.logits[at] ?? 0);
        if (highest[label] === -Infinity) heard.push(label);
        highest[label] = Math.max(highest[label] ?? 0, logit);
        sums[label] = (sums[label] ?? 0) + logit - floor;
      }
    }
    for (const label of heard) {
      const penalty = penalties[label] ?? 0;
      enterRival(means, first, label, (sums[label] ?? 0) / clipCount + floor + penalty);
      enterRival(peaks, first, label, (highest[label] ?? 0) + penalty);
      highest[label] = -Infinity;
      sums[label] = 0;
    }
    // All that is known of birds left out of the evidence is that they are no louder than the floor.
    for (const { second } of [means, peaks]) second[first] = Math.max(second[first] ?? 0, clips.floor);
    nonBirds[first] = nonBird;
    isKnown[first] = 1;
  };
  return {
    means,
    peaks,
    nonBirds,
    /** Works out the window around a clip unless it is known. @returns its first clip */
    around(clip: number, isBird: Uint8Array): number {
      const first = Math.max(0, Math.min(clip - (clipCount >> 1), windowCount - 1));
      if (isKnown[first] !== 1) workOut(first, isBird);
      return first;
    },
  };
}

/** The first passage that holds the clip or a later one; passages are sorted by first clip. */
function firstPassageReaching(evidence: Evidence, clip: number): number {
  const { firstClips, clipCount } = evidence.passages;
  let low = 0;
  let high = firstClips.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstClips[middle] ?? 0) + clipCount > clip) high = middle;
    else low = middle + 1;
  }
  return low;
}
