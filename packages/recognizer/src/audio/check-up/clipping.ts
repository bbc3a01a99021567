import { checkUpThresholds } from './thresholds.ts';

const { clipping } = checkUpThresholds;

/** Frames per block: 43 ms at 48 kHz. */
const BLOCK_FRAMES = 2048;
/** Frames per part. The highest and the lowest sample of each part are examined: a wave or two. */
const PART_FRAMES = 256;

/** Heights are counted in steps of this many decibels, from the lowest that can matter to well above full scale. */
const STEP_DECIBELS = 0.5;
const LOWEST_DECIBELS = -48;
const HIGHEST_DECIBELS = 12;
const STEPS = (HIGHEST_DECIBELS - LOWEST_DECIBELS) / STEP_DECIBELS;
const LOWEST_HEIGHT = 10 ** (LOWEST_DECIBELS / 20);

/**
 * Detects clipping in each channel separately: the mean of two channels hides it.
 *
 * Samples at full scale are neither sufficient nor necessary: resampling and lossy coding bend flat tops and let them overshoot,
 * and a volume control lowers them. The shape decides. An undistorted wave is above 85 % of its height for half the time that it is
 * above 50 %; a clipped one stays up there and falls steeply. Such a shape also occurs by chance, but then at any height, whereas
 * clipping flattens every wave that would exceed one height.
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
        if (height > flat && height >= clipping.nearTop * top && isClipped(samples, at)) flat = height;
      }
    }
    peak = Math.max(peak, loudest);
    if (loudest >= LOWEST_HEIGHT) countHeight(blocksByPeak, loudest);
    if (flat > 0) countHeight(flatBlocksByHeight, flat);
    position = 0;
  };

  return {
    /** @param interleaved may begin and end within a frame */
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
    /** @returns the share of blocks with clipped waves, and the height of the loudest sample; 1 is full scale */
    end(): { readonly share: number; readonly peak: number } {
      closeBlock(Math.floor(position / channels));
      return { share: blocks === 0 ? 0 : clippedBlocks(flatBlocksByHeight, blocksByPeak) / blocks, peak };
    },
  };
}

/** Splits interleaved samples by channel; `position` is the index of the first within the block's interleaved samples. */
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

/**
 * Counts the blocks with flat tops at the clipping height, one where at least `shareOfReaching` of the blocks that reach it are
 * flat; 0 if there is none.
 */
function clippedBlocks(flatByHeight: Uint32Array, byPeak: Uint32Array): number {
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

/** Indices of the highest and the lowest sample of each part. */
function topsOf(samples: Float32Array): readonly number[] {
  const tops: number[] = [];
  for (let from = 0; from < samples.length; from += PART_FRAMES) {
    const to = Math.min(samples.length, from + PART_FRAMES);
    let highest = from;
    let lowest = from;
    let max = samples[from] ?? 0;
    let min = max;
    // By index and with local variables, for speed: this loop runs for every sample.
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

/** Whether the wave that peaks at `top` is clipped; false for one that extends beyond the block, which cannot be judged. */
function isClipped(samples: Float32Array, top: number): boolean {
  const height = Math.abs(samples[top] ?? 0);
  if (height < LOWEST_HEIGHT) return false;
  const sign = (samples[top] ?? 0) < 0 ? -1 : 1;
  // A part's highest sample may be on a slope at its edge; the top is then in the neighbouring part.
  if (sign * (samples[top - 1] ?? 0) > height || sign * (samples[top + 1] ?? 0) > height) return false;
  const upper = widthAbove(samples, top, sign, height * clipping.upperPart);
  const lower = widthAbove(samples, top, sign, height * clipping.lowerPart);
  const isFlat = Number.isFinite(lower) && upper >= clipping.fewestSamples && upper >= clipping.flatness * lower;
  return isFlat && !isOnSlope(samples, top, sign, height);
}

/** Whether `top` is noise or an overtone on the slope of a wave that goes higher: from there, a slow wave looks flat. */
function isOnSlope(samples: Float32Array, top: number, sign: number, height: number): boolean {
  for (const step of [-1, 1]) {
    for (let at = top; sign * (samples[at] ?? 0) >= height * clipping.lowerPart; at += step) {
      if (sign * (samples[at] ?? 0) > height * clipping.highestOfWave) return true;
    }
  }
  return false;
}

/** How long the wave that peaks at `top` stays above a height, in fractional samples; infinite if it extends beyond the block. */
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

/** The part of the step between two samples, one below a height and one above it, that lies above it, 0…1. */
const crossing = (below: number, above: number, height: number): number => (above - height) / (above - below);
