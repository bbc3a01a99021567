import { createFramePairs } from './check-up/frames.ts';

/** Samples per frame: 21 ms at 48 kHz, shorter than nearly every call. */
const FRAME_SAMPLES = 1024;
/** Bins that are judged together: 188 Hz at 48 kHz. A whistle in one of them shows. */
const BAND_BINS = 4;
/** Below this bin (94 Hz at 48 kHz), slow drift leaks into frames; no bird sings there. */
const FIRST_BIN = 2;
/** Bins this far below the strongest (power ratio) hold rounding errors. */
const LEAST_POWER = 1e-10;
/**
 * How far the fluctuation of a band may exceed that of noise, times the square root of the number of frames: seven standard deviations of
 * the mean of four bins, each of which has √(4 / frames).
 */
const MOST_EXCESS = 7;
/**
 * The same for noise that was coded with loss, of which the codec leaves out one band and then another: below 11 kHz, MP3, AAC, Vorbis and
 * Opus stay under 16, and of 472 recordings of birds none has only such clips.
 */
const MOST_CODED_EXCESS = 16;
/** Codecs spare most in the bands above (11 kHz at 48 kHz). */
const END_OF_CODED_BINS = 234;
/** Half a second at 48 kHz. Most clips with birds are told from noise long before their end. */
const PAIRS_BETWEEN_LOOKS = 12;
/** With fewer, nothing can be said. */
const FEWEST_FRAMES = 16;
/** Below this bin (1.5 kHz at 48 kHz), wind is loudest. */
const END_OF_WIND_BINS = 34;
/** A gust lasts longer than twice as many frames (0.5 s at 48 kHz), most notes of birds are shorter. */
const FRAMES_BESIDE = 12;

/**
 * What a clip holds: `steady`, nothing but steady noise; `nearlySteady`, what may be steady noise that was coded with loss, or a faint bird;
 * `windy`, noise that rises and falls as gusts of wind do; or `other`.
 */
export type Steadiness = 'steady' | 'nearlySteady' | 'windy' | 'other';

/**
 * Creates a test of whether a clip holds nothing but steady noise: hiss, hum, a recorder's own noise, wind, of any level and spectrum.
 *
 * In steady noise, the power of each frequency varies from frame to frame by as much as its mean (a tone varies less); anything that comes and
 * goes varies more. This is the spectral kurtosis (Antoni, 2006), ⟨p²⟩ / ⟨p⟩² of the powers p: 2 for Gaussian noise. Gusts of wind change the
 * powers of many frequencies together, so what follows the low ones, taken together over half a second, is steady, too. Zeros at the end,
 * with which a short clip is filled, do not count.
 *
 * @returns the test, for mono samples at any rate; 0.5 ms for three seconds with birds, 1.2 ms for noise
 */
export function createSteadyNoiseTest(): (samples: Float32Array) => Steadiness {
  const bins = FRAME_SAMPLES / 2;
  const sums = new Float64Array(bins);
  const spectra: Float32Array[] = [];
  let frames = 0;
  const pairs = createFramePairs(FRAME_SAMPLES, (powers) => {
    spectra[frames] ??= new Float32Array(bins);
    spectra[frames]?.set(powers.subarray(0, bins));
    frames += 1;
    for (let bin = FIRST_BIN; bin < bins; bin++) sums[bin] = (sums[bin] ?? 0) + (powers[bin] ?? 0);
  });

  /** @param gains of each frame */
  function bandExcess(first: number, gains: Float64Array, leastSum: number): number {
    let excess = 0;
    for (let bin = first; bin < first + BAND_BINS; bin++) {
      let [sum, squares] = [0, 0];
      for (let frame = 0; frame < frames; frame++) {
        const power = (gains[frame] ?? 0) * (spectra[frame]?.[bin] ?? 0);
        sum += power;
        squares += power * power;
      }
      if ((sums[bin] ?? 0) > leastSum) excess += (frames * squares) / (sum * sum) - 2;
    }
    return (excess / BAND_BINS) * Math.sqrt(frames);
  }

  /** What evens out gusts: one divided by how loud the low frequencies, each of the same weight, are around a frame. */
  function evenGusts(): Float64Array {
    const loudness = new Float64Array(frames);
    for (let frame = 0; frame < frames; frame++) {
      for (let bin = FIRST_BIN; bin < END_OF_WIND_BINS; bin++) {
        loudness[frame] = (loudness[frame] ?? 0) + (spectra[frame]?.[bin] ?? 0) / (sums[bin] || 1);
      }
    }
    return loudness.map((_, frame) => {
      let [sum, count] = [Number.MIN_VALUE, 0];
      for (let near = Math.max(0, frame - FRAMES_BESIDE); near <= frame + FRAMES_BESIDE && near < frames; near++) {
        sum += loudness[near] ?? 0;
        count += 1;
      }
      return count / sum;
    });
  }

  /** @param enough beyond this, no more is looked for @param evening whether a band may also be steady once gusts are evened out */
  function mostExcess(end: number, enough: number, evening: boolean): number {
    // A loop: `reduce` would make an object of each number, for every clip.
    let strongest = 0;
    for (const sum of sums) strongest = Math.max(strongest, sum);
    const leastSum = LEAST_POWER * strongest;
    const unchanged = new Float64Array(frames).fill(1);
    let gusts: Float64Array | null = null;
    let most = 0;
    for (let first = FIRST_BIN; first + BAND_BINS <= end && most <= enough; first += BAND_BINS) {
      let excess = bandExcess(first, unchanged, leastSum);
      if (evening && excess > MOST_EXCESS) {
        gusts ??= evenGusts();
        excess = Math.min(excess, bandExcess(first, gusts, leastSum));
      }
      most = Math.max(most, excess);
    }
    return most;
  }

  const isBeyond = (end: number, most: number, evening = false): boolean => mostExcess(end, most, evening) > most;
  const isClearlyOther = (): boolean => isBeyond(END_OF_CODED_BINS, MOST_CODED_EXCESS, true);

  return (samples) => {
    let end = samples.length;
    while (end > 0 && samples[end - 1] === 0) end -= 1;
    sums.fill(0);
    frames = 0;
    // Frames are measured in pairs.
    for (let pair = 1; 2 * pair * FRAME_SAMPLES <= end; pair++) {
      for (const from of [2 * pair - 2, 2 * pair - 1]) {
        pairs.current.set(samples.subarray(from * FRAME_SAMPLES, (from + 1) * FRAME_SAMPLES));
        pairs.close();
      }
      if (pair % PAIRS_BETWEEN_LOOKS === 0 && isClearlyOther()) return 'other';
    }
    if (frames < FEWEST_FRAMES || isClearlyOther()) return 'other';
    if (isBeyond(END_OF_CODED_BINS, MOST_CODED_EXCESS)) return 'windy';
    return isBeyond(bins, MOST_EXCESS) ? 'nearlySteady' : 'steady';
  };
}
