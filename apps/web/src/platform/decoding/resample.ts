/**
 * Changes the sample rate with a windowed sinc for each of the phases at which output samples fall between two input samples (polyphase).
 *
 * The filter has the server's design (soxr, high quality): frequencies below 91.3 % of the lower Nyquist frequency pass, those above that
 * frequency are 126 dB down. It extends equally far before and after a sample, so that nothing is shifted in time.
 */

/** Fraction of the lower Nyquist frequency. */
const PASSBAND_END = 0.913;
const STOPBAND_DB = 126;

/** Beyond this, the filters for two rates with hardly a common factor would take more than 40 MB. */
const MOST_COEFFICIENTS = 10_000_000;

export interface Resampler {
  /** @returns the samples that are final, valid until the next call; the output lags the input by some milliseconds */
  push(samples: Float32Array): Float32Array;
  /** Ends the recording. @returns the remaining samples: in total, the output is as long as the input, to half a sample */
  end(): Float32Array;
}

/**
 * @param from Hz
 * @param to Hz
 * @returns null if the filters for these two rates would be too large
 */
export function createResampler(from: number, to: number): Resampler | null {
  if (from === to) return { push: (samples) => samples, end: () => new Float32Array(0) };
  const divisor = greatestCommonDivisor(from, to);
  /** Output samples for every `step` input samples. */
  const phases = to / divisor;
  const step = from / divisor;
  /** Length of each filter, an even number. */
  const taps = tapsFor(from, to);
  if (phases * taps > MOST_COEFFICIENTS) return null;
  const filters = designFilters({ phases, taps, from, to });
  const half = taps / 2;
  /** Buffers for input and output, as large as the largest piece needs: new ones for each piece would mostly create garbage. */
  let room = new Float32Array(0);
  let given = new Float32Array(0);
  // Silence before the first sample.
  let held = new Float32Array(half - 1);
  /** Where in `held` the filter of the next output sample starts, and the index of that filter. */
  let position = 0;
  let phase = 0;
  let taken = 0;
  let givenCount = 0;

  const hold = (samples: Float32Array): void => {
    const kept = held.subarray(position);
    const length = kept.length + samples.length;
    if (room.length < length) room = new Float32Array(2 * length);
    room.set(kept); // works even if the two overlap
    room.set(samples, kept.length);
    held = room.subarray(0, length);
    position = 0;
  };
  const give = (): Float32Array => {
    const lastPosition = held.length - taps;
    const count = lastPosition < 0 ? 0 : Math.floor((lastPosition * phases + phases - 1 - phase) / step) + 1;
    if (given.length < count) given = new Float32Array(2 * count);
    const output = given.subarray(0, count);
    for (let n = 0; n < count; n++) {
      output[n] = weigh(held, position, filters, phase * taps, taps);
      phase += step;
      position += Math.floor(phase / phases);
      phase %= phases;
    }
    givenCount += count;
    return output;
  };

  return {
    push(samples) {
      taken += samples.length;
      hold(samples);
      return give();
    },
    end() {
      const before = givenCount;
      const wanted = Math.round((taken * phases) / step) - before;
      // Silence after the last sample.
      hold(new Float32Array(taps));
      return give().subarray(0, Math.max(0, wanted));
    },
  };
}

function weigh(samples: Float32Array, from: number, filters: Float32Array, filter: number, taps: number): number {
  let sum = 0;
  for (let k = 0; k < taps; k++) sum += (samples[from + k] ?? 0) * (filters[filter + k] ?? 0);
  return sum;
}

const lowerOfBoth = (from: number, to: number): number => Math.min(1, to / from);

/** Kaiser's estimate of the filter length for the transition between passband and stopband. */
function tapsFor(from: number, to: number): number {
  const transition = Math.PI * (1 - PASSBAND_END) * lowerOfBoth(from, to);
  return 2 * Math.ceil((STOPBAND_DB - 7.95) / (2.285 * transition) / 2);
}

/** @returns one filter per phase, concatenated */
function designFilters({ phases, taps, from, to }: { phases: number; taps: number; from: number; to: number }): Float32Array {
  const cutoff = ((PASSBAND_END + 1) / 2) * lowerOfBoth(from, to);
  const beta = 0.1102 * (STOPBAND_DB - 8.7);
  const half = taps / 2;
  const filters = new Float32Array(phases * taps);
  const filter = new Float64Array(taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let k = 0; k < taps; k++) {
      // Distance from the time of the output sample, in input samples.
      const distance = k - half + 1 - phase / phases;
      const value = sinc(cutoff * distance) * bessel(beta * Math.sqrt(Math.max(0, 1 - (distance / half) ** 2)));
      filter[k] = value;
      sum += value;
    }
    for (let k = 0; k < taps; k++) filters[phase * taps + k] = (filter[k] ?? 0) / sum;
  }
  return filters;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** The modified Bessel function of the first kind and order zero, by its series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
