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

/**
 * What a clip holds: `steady`, nothing but steady noise; `nearlySteady`, what may be steady noise that was coded with loss, or a faint bird;
 * or `other`.
 */
export type Steadiness = 'steady' | 'nearlySteady' | 'other';

/**
 * Creates a test of whether a clip holds nothing but steady noise: hiss, hum, a recorder's own noise, of any level and spectrum.
 *
 * In steady noise, the power of each frequency varies from frame to frame by as much as its mean (a tone varies less); anything that comes and
 * goes varies more. This is the spectral kurtosis (Antoni, 2006), ⟨p²⟩ / ⟨p⟩² of the powers p: 2 for Gaussian noise. Zeros at the end, with
 * which a short clip is filled, do not count.
 *
 * @returns the test, for mono samples at any rate; 0.5 ms for three seconds with birds, 1.2 ms for noise
 */
export function createSteadyNoiseTest(): (samples: Float32Array) => Steadiness {
  const bins = FRAME_SAMPLES / 2;
  const sums = new Float64Array(bins);
  const squares = new Float64Array(bins);
  let frames = 0;
  const pairs = createFramePairs(FRAME_SAMPLES, (powers) => {
    frames += 1;
    for (let bin = FIRST_BIN; bin < bins; bin++) {
      const power = powers[bin] ?? 0;
      sums[bin] = (sums[bin] ?? 0) + power;
      squares[bin] = (squares[bin] ?? 0) + power * power;
    }
  });

  function mostExcess(end: number): number {
    const strongest = sums.reduce((most, sum) => Math.max(most, sum), 0);
    let most = 0;
    for (let first = FIRST_BIN; first + BAND_BINS <= end; first += BAND_BINS) {
      let excess = 0;
      for (let bin = first; bin < first + BAND_BINS; bin++) {
        const sum = sums[bin] ?? 0;
        if (sum > LEAST_POWER * strongest) excess += (frames * (squares[bin] ?? 0)) / (sum * sum) - 2;
      }
      most = Math.max(most, excess / BAND_BINS);
    }
    return most * Math.sqrt(frames);
  }

  const isClearlyOther = (): boolean => mostExcess(END_OF_CODED_BINS) > MOST_CODED_EXCESS;

  return (samples) => {
    let end = samples.length;
    while (end > 0 && samples[end - 1] === 0) end -= 1;
    sums.fill(0);
    squares.fill(0);
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
    return mostExcess(bins) <= MOST_EXCESS ? 'steady' : 'nearlySteady';
  };
}
