/**
 * BirdNET's front end: from a clip to the two mel spectrograms that the model's first convolution reads. The graph has it as operators of
 * dynamic size, which take more time than all its convolutions. Called by `web/worker.ts` for every clip.
 *
 * The functions that do the work are not closures, because both branches run them: calls of a closure of each would not be inlined, which
 * takes twice as long.
 */
import { createFourierTransform } from './fourier.ts';

/** Written by the converter, which reads all of it from the published file. */
export interface FrontEndConstants {
  /** Samples become ((x − min) / (max(x − min) + floor) − centre) · factor. */
  readonly floor: number;
  readonly centre: number;
  readonly factor: number;
  /** columns of a spectrogram */
  readonly frames: number;
  readonly branches: readonly BranchConstants[];
}

/** A spectrogram: (Σ mel · Re FFT(window · frame))² ^ exponent · scale + shift. */
export interface BranchConstants {
  /** samples between starts of frames */
  readonly step: number;
  /** symmetric, one value a sample of a frame */
  readonly window: readonly number[];
  /** the lowest band first */
  readonly mel: readonly MelConstants[];
  readonly exponent: number;
  readonly scale: number;
  readonly shift: number;
}

/** A band's weights, from its first bin on; the others are zero. */
export interface MelConstants {
  readonly firstBin: number;
  readonly weights: readonly number[];
}

/** @returns a function that writes a clip's spectrograms, `[bands, frames, branches]` with the highest band first */
export function createFrontEnd({ floor, centre, factor, frames, branches }: FrontEndConstants, samples: number) {
  const scaled = new Float32Array(samples);
  const plans = branches.map(planOf);
  return (clip: Float32Array, spectrogram: Float32Array): void => {
    scaleSamples(clip, scaled, floor, centre, factor);
    for (const [channel, plan] of plans.entries()) writeChannel(plan, scaled, spectrogram, frames, channel, plans.length);
  };
}

/** Rounds as the graph does: where a clip is silent, nothing but roundings is left to see. */
function scaleSamples(clip: Float32Array, scaled: Float32Array, floor: number, centre: number, factor: number): void {
  const { least, most } = extremesOf(clip);
  const range = Math.fround(Math.fround(most - least) + floor);
  for (let n = 0; n < clip.length; n++)
    scaled[n] = Math.fround(Math.fround(Math.fround((clip[n] ?? 0) - least) / range) - centre) * factor;
}

function extremesOf(clip: Float32Array): { readonly least: number; readonly most: number } {
  let least = clip[0] ?? 0;
  let most = least;
  for (let n = 1; n < clip.length; n++) {
    const sample = clip[n] ?? 0;
    if (sample < least) least = sample;
    if (sample > most) most = sample;
  }
  return { least, most };
}

/** A branch as it is computed. */
type Plan = ReturnType<typeof planOf>;

function planOf({ step, window, mel, exponent, scale, shift }: BranchConstants) {
  const half = window.length / 2;
  const lastBin = Math.max(...mel.map(({ firstBin, weights }) => firstBin + weights.length - 1));
  const fractions = Array.from({ length: 2 ** TABLE_BITS }, (_, index) => 1 + (index + 0.5) / 2 ** TABLE_BITS);
  return {
    step,
    half,
    window: Float64Array.from(window),
    cos: Float64Array.from({ length: half / 2 }, (_, n) => Math.cos((Math.PI * n) / half)),
    sin: Float64Array.from({ length: half / 2 }, (_, n) => Math.sin((Math.PI * n) / half)),
    transform: createFourierTransform(half),
    lastBin,
    first: new Float64Array(lastBin + 2),
    second: new Float64Array(lastBin + 2),
    firstBins: Int32Array.from(mel, ({ firstBin }) => firstBin),
    lengths: Int32Array.from(mel, ({ weights }) => weights.length),
    weights: Float64Array.from(mel.flatMap(({ weights }) => weights)),
    // Biased exponent 0 belongs to 0 and to numbers too small to matter.
    powers: Float64Array.from({ length: 256 }, (_, biased) => (biased === 0 ? 0 : scale * 2 ** ((biased - BIAS) * exponent))),
    values: Float64Array.from(fractions, (fraction) => fraction ** exponent),
    slopes: Float64Array.from(fractions, (fraction) => (exponent * fraction ** (exponent - 1)) / 2 ** FRACTION_BITS),
    shift,
  };
}

function writeChannel(
  plan: Plan,
  samples: Float32Array,
  spectrogram: Float32Array,
  frames: number,
  channel: number,
  channels: number,
): void {
  const { step, half, transform, lastBin, first, second } = plan;
  const { real, imaginary } = transform;
  // One transform handles two frames. The last one is done twice where their number is odd.
  for (let frame = 0; frame < frames; frame += 2) {
    const other = Math.min(frame + 1, frames - 1);
    let firstOdd = fold(plan, samples, frame * step, real);
    let secondOdd = fold(plan, samples, other * step, imaginary);
    transform.run();
    first[0] = real[0] ?? 0;
    first[1] = firstOdd;
    second[0] = imaginary[0] ?? 0;
    second[1] = secondOdd;
    for (let bin = 1; 2 * bin <= lastBin; bin++) {
      const re = real[bin] ?? 0;
      const im = imaginary[bin] ?? 0;
      const mirrorRe = real[half - bin] ?? 0;
      const mirrorIm = imaginary[half - bin] ?? 0;
      firstOdd -= (im - mirrorIm) / 2;
      secondOdd += (re - mirrorRe) / 2;
      first[2 * bin] = (re + mirrorRe) / 2;
      first[2 * bin + 1] = firstOdd;
      second[2 * bin] = (im + mirrorIm) / 2;
      second[2 * bin + 1] = secondOdd;
    }
    writeColumn(plan, first, spectrogram, frame * channels + channel, frames * channels);
    writeColumn(plan, second, spectrogram, other * channels + channel, frames * channels);
  }
}

/**
 * Folds a frame to its even part, whose cosine transform is the real part of the frame's transform, and that to a real signal of half the length,
 * whose transform has the cosine transform's even bins and the differences of its odd ones (Numerical Recipes, 12.4.2). @returns its bin 1
 */
function fold({ half, window, cos, sin, transform }: Plan, samples: Float32Array, start: number, into: Float64Array): number {
  const { order } = transform;
  const quarter = half / 2;
  const end = start + 2 * half;
  const middle = start + half;
  const outer = 2 * (samples[start] ?? 0) * (window[0] ?? 0);
  const inner = 2 * (samples[middle] ?? 0) * (window[half] ?? 0);
  into[0] = (outer + inner) / 2;
  into[order[quarter] ?? 0] = ((samples[start + quarter] ?? 0) + (samples[end - quarter] ?? 0)) * (window[quarter] ?? 0);
  let odd = (outer - inner) / 2;
  for (let n = 1; n < quarter; n++) {
    const near = ((samples[start + n] ?? 0) + (samples[end - n] ?? 0)) * (window[n] ?? 0);
    const far = ((samples[middle - n] ?? 0) + (samples[middle + n] ?? 0)) * (window[half - n] ?? 0);
    const mean = (near + far) / 2;
    const turned = (near - far) * (sin[n] ?? 0);
    odd += (near - far) * (cos[n] ?? 0);
    into[order[n] ?? 0] = mean - turned;
    into[order[half - n] ?? 0] = mean + turned;
  }
  return odd;
}

const FRACTION_BITS = 23;
const BIAS = 127;
/** Bits of the fraction that look up a power; a straight line through the rest is off by less than float32 rounds. */
const TABLE_BITS = 12;
const REST_BITS = FRACTION_BITS - TABLE_BITS;

const number = new Float32Array(1);
const bits = new Int32Array(number.buffer);

/** Writes a column from its lowest place up: mel bands, squared and raised. `Math.pow` would take seven times as long as the tables. */
function writeColumn(plan: Plan, bins: Float64Array, spectrogram: Float32Array, column: number, rowLength: number): void {
  const { firstBins, lengths, weights, powers, values, slopes, shift } = plan;
  let place = column + firstBins.length * rowLength;
  let at = 0;
  for (let band = 0; band < firstBins.length; band++) {
    let bin = firstBins[band] ?? 0;
    let sum = 0;
    for (const end = at + (lengths[band] ?? 0); at < end; at++) sum += (weights[at] ?? 0) * (bins[bin++] ?? 0);
    number[0] = sum * sum;
    const pattern = bits[0] ?? 0;
    const index = (pattern >> REST_BITS) & (2 ** TABLE_BITS - 1);
    const offset = (pattern & (2 ** REST_BITS - 1)) - 2 ** (REST_BITS - 1);
    place -= rowLength;
    spectrogram[place] = (powers[pattern >> FRACTION_BITS] ?? 0) * ((values[index] ?? 0) + (slopes[index] ?? 0) * offset) + shift;
  }
}
