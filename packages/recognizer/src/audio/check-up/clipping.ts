import { checkUpThresholds } from './thresholds.ts';

const { clipping } = checkUpThresholds;

/** Frames that are judged together: 43 ms at 48 kHz. */
const BLOCK_FRAMES = 2048;
/** The highest and the lowest sample of so many are looked at: a wave or two. */
const PART_FRAMES = 256;

/** Heights are counted in steps of so many decibels, from the lowest that can matter up to what overshoots full scale by far. */
const STEP_DECIBELS = 0.5;
const LOWEST_DECIBELS = -48;
const HIGHEST_DECIBELS = 12;
const STEPS = (HIGHEST_DECIBELS - LOWEST_DECIBELS) / STEP_DECIBELS;
const LOWEST_HEIGHT = 10 ** (LOWEST_DECIBELS / 20);

/**
 * Looks for waves whose tops are cut off, in each channel by itself: the mean of two channels hides it.
 *
 * Samples at full scale prove nothing, and are not needed: resampling and lossy coding bend flat tops and let them overshoot,
 * a volume control moves them down. What counts is the shape. A wave that swings freely is above 85 % of its height for half the
 * time that it is above 50 %; one that is cut off stays up there and falls steeply. That such a shape comes about by chance is ruled
 * out by the height: what cuts off one wave cuts off all that would be higher.
 */
export function createClippingMeter(channels: number) {
  const block = Array.from({ length: channels }, () => new Float32Array(BLOCK_FRAMES));
  const blocksByPeak = new Uint32Array(STEPS);
  const flatBlocksByHeight = new Uint32Array(STEPS);
  let position = 0;
  let blocks = 0;
  let peak = 0;

  const closeBlock = (frames: number): void => {
    if (frames === 0) return;
    blocks += 1;
    let loudest = 0;
    let flat = 0;
    for (const whole of block) {
      const samples = whole.subarray(0, frames);
      const tops = topsOf(samples);
      const top = heightOfHighest(samples, tops);
      loudest = Math.max(loudest, top);
      for (const at of tops) {
        const height = Math.abs(samples[at] ?? 0);
        if (height > flat && height >= clipping.nearTop * top && isCutOff(samples, at)) flat = height;
      }
    }
    peak = Math.max(peak, loudest);
    if (loudest >= LOWEST_HEIGHT) countHeight(blocksByPeak, loudest);
    if (flat > 0) countHeight(flatBlocksByHeight, flat);
    position = 0;
  };

  return {
    /** @param interleaved frames may be cut anywhere */
    push(interleaved: Float32Array): void {
      const blockSamples = BLOCK_FRAMES * channels;
      for (let from = 0; from < interleaved.length; ) {
        const part = interleaved.subarray(from, from + blockSamples - position);
        if (channels === 1) block[0]?.set(part, position);
        else deal(part, block, position);
        position += part.length;
        from += part.length;
        if (position === blockSamples) closeBlock(BLOCK_FRAMES);
      }
    },
    /** The part of the recording in which the tops of waves are cut off, and its loudest sample; 1 is full scale. */
    end(): { readonly share: number; readonly peak: number } {
      closeBlock(Math.floor(position / channels));
      return { share: blocks === 0 ? 0 : cutOffBlocks(flatBlocksByHeight, blocksByPeak) / blocks, peak };
    },
  };
}

/** Gives each channel its samples; `position` is the place of the first among the block's interleaved samples. */
function deal(interleaved: Float32Array, block: readonly Float32Array[], position: number): void {
  const channels = block.length;
  for (let channel = 0; channel < channels; channel++) {
    const target = block[channel];
    if (target === undefined) continue;
    const first = (((channel - position) % channels) + channels) % channels;
    for (let at = first, to = Math.floor((position + first) / channels); at < interleaved.length; at += channels, to++) {
      target[to] = interleaved[at] ?? 0;
    }
  }
}

function countHeight(counts: Uint32Array, height: number): void {
  const step = Math.floor((20 * Math.log10(height) - LOWEST_DECIBELS) / STEP_DECIBELS);
  const counted = Math.min(Math.max(step, 0), STEPS - 1);
  counts[counted] = (counts[counted] ?? 0) + 1;
}

/** Blocks with flat tops at the one height that cuts off most of what comes up to it; 0 when there is no such height. */
function cutOffBlocks(flatByHeight: Uint32Array, byPeak: Uint32Array): number {
  const window = Math.round(clipping.heightSpreadDecibels / STEP_DECIBELS);
  let reaching = 0;
  let most = 0;
  for (let step = STEPS - 1; step >= 0; step--) {
    reaching += byPeak[step] ?? 0;
    let flat = 0;
    for (let at = step; at < Math.min(step + window, STEPS); at++) flat += flatByHeight[at] ?? 0;
    if (flat >= clipping.shareOfReaching * reaching) most = Math.max(most, flat);
  }
  return most;
}

/** Where the highest and the lowest samples of each part are. */
function topsOf(samples: Float32Array): readonly number[] {
  const tops: number[] = [];
  for (let from = 0; from < samples.length; from += PART_FRAMES) {
    const to = Math.min(samples.length, from + PART_FRAMES);
    let highest = from;
    let lowest = from;
    let max = samples[from] ?? 0;
    let min = max;
    // By index and in variables of their own: this loop runs for every sample.
    for (let at = from + 1; at < to; at++) {
      const sample = samples[at] ?? 0;
      if (sample > max) {
        max = sample;
        highest = at;
      } else if (sample < min) {
        min = sample;
        lowest = at;
      }
    }
    tops.push(highest, lowest);
  }
  return tops;
}

function heightOfHighest(samples: Float32Array, tops: readonly number[]): number {
  let height = 0;
  for (const at of tops) height = Math.max(height, Math.abs(samples[at] ?? 0));
  return height;
}

/** Whether the wave with its top at a sample is cut off. One that reaches over an end of the block cannot be judged. */
function isCutOff(samples: Float32Array, top: number): boolean {
  const height = Math.abs(samples[top] ?? 0);
  if (height < LOWEST_HEIGHT) return false;
  const sign = (samples[top] ?? 0) < 0 ? -1 : 1;
  // The last sample of a part may lie on the way up; the next part has the top then.
  if (sign * (samples[top - 1] ?? 0) > height || sign * (samples[top + 1] ?? 0) > height) return false;
  const upper = widthAbove(samples, top, sign, height * clipping.upperPart);
  const lower = widthAbove(samples, top, sign, height * clipping.lowerPart);
  return Number.isFinite(lower) && upper >= clipping.fewestSamples && upper >= clipping.flatness * lower;
}

/**
 * How long the wave with its top at a sample stays above a height, in samples and parts of samples; infinite when it reaches over an
 * end of the block.
 */
function widthAbove(samples: Float32Array, top: number, sign: number, height: number): number {
  let start = top;
  while (start >= 0 && sign * (samples[start] ?? 0) >= height) start -= 1;
  let end = top;
  while (end < samples.length && sign * (samples[end] ?? 0) >= height) end += 1;
  if (start < 0 || end >= samples.length) return Number.POSITIVE_INFINITY;
  const before = crossing(sign * (samples[start] ?? 0), sign * (samples[start + 1] ?? 0), height);
  const after = crossing(sign * (samples[end] ?? 0), sign * (samples[end - 1] ?? 0), height);
  return end - start - 2 + before + after;
}

/** Which part of the step from a sample below a height to one above it lies above, 0…1. */
const crossing = (below: number, above: number, height: number): number => (above - height) / (above - below);
