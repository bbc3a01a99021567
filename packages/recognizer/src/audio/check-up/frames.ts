import { createFourierTransform } from '../fourier.ts';

/** Samples per frame: 43 ms at 48 kHz, 23 Hz per bin. */
const FRAME_SAMPLES = 2048;
/** Enough to measure anything that lasts; more would cost time and find little. */
const USUAL_FRAMES_PER_SECOND = 2;

/** The mean square in each bin of a frame; 1 is a square wave at full scale. */
export type FramePowers = Float32Array;

/** Hz between the bins of a frame from `createFrameSampler`. */
export const binHzOf = (sampleRate: number): number => sampleRate / FRAME_SAMPLES;

/**
 * Computes spectra of a stream at fixed intervals from its start, independently of how it is split into chunks.
 *
 * @param take called with each frame's powers in order; the array is reused afterwards
 */
export function createFrameSampler(
  sampleRate: number,
  take: (powers: FramePowers) => void,
  framesPerSecond = USUAL_FRAMES_PER_SECOND,
) {
  const hopSamples = Math.max(FRAME_SAMPLES, Math.round(sampleRate / framesPerSecond));
  const frames = createFramePairs(FRAME_SAMPLES, take);
  let position = 0;

  return {
    push(mono: Float32Array): void {
      for (let from = 0; from < mono.length; ) {
        if (position < FRAME_SAMPLES) {
          const part = mono.subarray(from, from + FRAME_SAMPLES - position);
          frames.current.set(part, position);
          position += part.length;
          from += part.length;
          if (position === FRAME_SAMPLES) frames.close();
        } else {
          const skipped = Math.min(hopSamples - position, mono.length - from);
          position += skipped;
          from += skipped;
        }
        if (position === hopSamples) position = 0;
      }
    },
    end: frames.end,
  };
}

/** Computes the powers of frames of `size` samples in pairs, because one transform handles two real frames. */
export function createFramePairs(size: number, take: (powers: FramePowers) => void) {
  const measure = createPowerMeter(size);
  const pair = [new Float32Array(size), new Float32Array(size)] as const;
  let inPair: 0 | 1 = 0;
  return {
    /** buffer for the next frame */
    get current(): Float32Array {
      return pair[inPair];
    },
    /** Processes the current frame, which must be full. */
    close(): void {
      if (inPair === 1) for (const powers of measure(...pair)) take(powers);
      inPair = inPair === 0 ? 1 : 0;
    },
    /** Ends the stream and drops a frame that is not full. */
    end(): void {
      if (inPair === 1) take(measure(pair[0], pair[1].fill(0))[0]);
    },
  };
}

/** Computes the powers of two Hann-windowed frames of `size` samples. The next call overwrites the result. */
function createPowerMeter(size: number): (first: Float32Array, second: Float32Array) => readonly [FramePowers, FramePowers] {
  const transform = createFourierTransform(size);
  // The mean square of a Hann window is 3/8. Scaled so that a frame's powers add up to its mean square; the factor 2 stands for the
  // negative frequencies, which mirror the positive ones in a real signal.
  const scale = Math.sqrt(2 / (size * size * 0.375));
  const window = Float32Array.from(
    { length: size },
    (_, index) => scale * (0.5 - 0.5 * Math.cos((2 * Math.PI * (index + 0.5)) / size)),
  );
  const windowed = [new Float32Array(size), new Float32Array(size)] as const;
  const powers = [new Float32Array(transform.bins), new Float32Array(transform.bins)] as const;
  return (first, second) => {
    for (let index = 0; index < size; index++) {
      const gain = window[index] ?? 0;
      windowed[0][index] = (first[index] ?? 0) * gain;
      windowed[1][index] = (second[index] ?? 0) * gain;
    }
    transform.powerOfPair(...windowed, ...powers);
    return powers;
  };
}

/** The sum of the powers from one frequency up to another. */
export function powerBetween(powers: FramePowers, binHz: number, fromHz: number, toHz: number): number {
  const end = Math.min(powers.length, Math.ceil(toHz / binHz));
  let sum = 0;
  for (let bin = Math.ceil(fromHz / binHz); bin < end; bin++) sum += powers[bin] ?? 0;
  return sum;
}

export const decibelsOf = (power: number): number => 10 * Math.log10(Math.max(power, 1e-20));
