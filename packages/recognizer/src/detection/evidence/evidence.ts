/**
 * What the model heard in one recording, reduced to what answers need.
 *
 * `conclude` works out the answer for any place, week, `minScore` or number of candidates from it, without the audio. A fresh
 * analysis and a later change of conditions therefore agree. Rows are sparse: three hours are about 7,200 clips of 6,522 labels, of
 * which a hundredth is above the floor. Every array is flat and typed, ready to be stored.
 */
export interface Evidence {
  readonly modelId: string;
  /** Logits are multiples of this: `LOGIT_STEP`, or 1 if they are not rounded. */
  readonly logitUnit: number;
  readonly labelCount: number;
  /** Hz */
  readonly sampleRate: number;
  readonly clipSamples: number;
  readonly clipStepSamples: number;
  /** length of the recording */
  readonly sampleCount: number;
  /** samples in blocks that are digitally silent */
  readonly silentSamples: number;
  /** clips that hold steady or nearly steady noise; if all do, no bird is heard */
  readonly steadyClips: number;
  /** clips that hold nothing but gusts of wind */
  readonly windyClips: number;
  readonly clips: ClipEvidence;
  readonly passages: PassageEvidence;
}

/** Log-odds of scores as multiples of the evidence's `logitUnit`. Hours of audio have millions, and 16 bits are enough. */
export type Logits = Int16Array | Float32Array;

/** Row `i` is `offsets[i]` up to `offsets[i + 1]` of `labels` and `logits`; labels ascend within a row. */
export interface ClipEvidence {
  /** Logits below this were not kept; −Infinity when all were. */
  readonly floor: number;
  readonly offsets: Uint32Array;
  readonly labels: Uint16Array;
  /** Of each kept label, bird or not. */
  readonly logits: Logits;
  /** Per clip: the highest logit of any label that is not a bird. */
  readonly nonBirdPeaks: Logits;
}

/** Row `i` is `offsets[i]` up to `offsets[i + 1]` of `labels`, `means`, `peaks` and `zs`; birds only, labels ascend within a row. */
export interface PassageEvidence {
  /** First clip of each passage. */
  readonly firstClips: Uint32Array;
  /** clips per passage */
  readonly clipCount: number;
  readonly offsets: Uint32Array;
  readonly labels: Uint16Array;
  /** Mean of the label's logits over the passage's clips, including those below the floor. */
  readonly means: Logits;
  /** Highest of the label's logits in the passage. */
  readonly peaks: Logits;
  /** Log-odds of the label's pooled score without a place, including clips below the floor; clipped to the manifest's range. */
  readonly zs: Logits;
  /** Per passage: no bird left out has a mean above this. −Infinity if none was left out. */
  readonly meanFloors: Float32Array;
  /** Per passage: sum of exp(½·(peak + mean)) over the birds left out. */
  readonly restWeights: Float32Array;
}

/** Logits in evidence are multiples of this, so that storing them as 16-bit integers loses nothing. */
export const LOGIT_STEP = 1 / 1000;

/** Logits are limited to ± this. Scores are indistinguishable from 0 and 1 long before. */
export const LOGIT_LIMIT = 32;

/** A stretch of a recording. */
export interface TimeSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function clipCountOf(evidence: Evidence): number {
  return evidence.clips.offsets.length - 1;
}

export function passageCountOf(evidence: Evidence): number {
  return evidence.passages.firstClips.length;
}

/** From the start of one clip to the end of another, not beyond the end of the recording. */
export function clipSpan(evidence: Evidence, firstClip: number, lastClip: number = firstClip): TimeSpan {
  const { sampleRate, clipStepSamples, clipSamples, sampleCount } = evidence;
  const end = Math.min(lastClip * clipStepSamples + clipSamples, sampleCount);
  return { startSeconds: (firstClip * clipStepSamples) / sampleRate, endSeconds: end / sampleRate };
}

/** Index of a label in a row, or −1. Labels ascend within a row. */
export function findInRow(labels: Uint16Array, from: number, to: number, label: number): number {
  let low = from;
  let high = to - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = labels[middle] ?? 0;
    if (found === label) return middle;
    if (found < label) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The clip with a label's highest logit among those from `firstClip` to `lastClip`; the first if none reached the floor. */
export function loudestClip(evidence: Evidence, label: number, firstClip: number, lastClip: number): number {
  const { clips } = evidence;
  let loudest = firstClip;
  let highest = -Infinity;
  for (let clip = firstClip; clip <= lastClip; clip++) {
    const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
    const logit = at < 0 ? -Infinity : (clips.logits[at] ?? 0);
    if (logit > highest) {
      highest = logit;
      loudest = clip;
    }
  }
  return loudest;
}
