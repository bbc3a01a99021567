import { createFourierTransform } from './fourier.ts';

/** A frame of 16 ms resolves a chiffchaff's steep notes in time and still a thrush's lines in frequency. */
const WINDOW_SECONDS = 0.016;

/**
 * Computes power spectra of frames around moments of a recording: a Hann window, then a zero-padded transform.
 *
 * @param sampleRate Hz
 * @param padding length of the transform in frames, a power of two; 2 draws smooth lines, 1 is twice as fast
 */
export function createSpectrumFrames(sampleRate: number, padding = 2) {
  const windowSamples = 2 ** Math.round(Math.log2(sampleRate * WINDOW_SECONDS));
  const transform = createFourierTransform(padding * windowSamples);
  const hann = Float32Array.from({ length: windowSamples }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / windowSamples));
  const frames = [new Float32Array(windowSamples), new Float32Array(windowSamples)] as const;

  function cut(samples: Float32Array, centre: number, frame: Float32Array): void {
    const start = Math.round(centre) - windowSamples / 2;
    // Limits the range first, because reading beyond the end of an array is slow.
    const from = Math.min(windowSamples, Math.max(0, -start));
    const to = Math.max(from, Math.min(windowSamples, samples.length - start));
    frame.fill(0, 0, from);
    frame.fill(0, to);
    for (let n = from; n < to; n += 1) frame[n] = (samples[start + n] ?? 0) * (hann[n] ?? 0);
  }

  return {
    /** samples of one frame */
    windowSamples,
    /** bands of a spectrum, from 0 Hz to half the sample rate */
    bands: transform.bins,
    hzPerBand: sampleRate / transform.size,
    /**
     * Writes the powers of the frames centred at `firstCentre` and `secondCentre` (samples) into `first` and `second`. Everything
     * outside `samples` is silence. Two frames cost as much as one.
     */
    measurePair(
      samples: Float32Array,
      firstCentre: number,
      secondCentre: number,
      first: Float32Array,
      second: Float32Array,
    ): void {
      cut(samples, firstCentre, frames[0]);
      cut(samples, secondCentre, frames[1]);
      transform.powerOfPair(frames[0], frames[1], first, second);
    },
  };
}
