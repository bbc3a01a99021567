/** How a recording is cut into clips, in samples. */
export interface ClipLayout {
  readonly clipSamples: number;
  /** between the starts of clips; at most `clipSamples`, so that nothing is left out */
  readonly stepSamples: number;
  /** A last, partly filled clip is kept if it has at least this much sound. */
  readonly minTailSamples: number;
}

/** Best number of samples per `push`; more make the cutter's buffer grow. */
export const PIECE_SAMPLES = 16_384;

/**
 * Cuts a stream of samples into overlapping clips, the last one padded with zeros.
 *
 * A tail is kept if it has at least `minTailSamples` of sound and reaches the end of the previous clip: with 3 s clips every 1.5 s,
 * that means 1.5 s of sound. A recording shorter than one clip becomes one padded clip.
 *
 * @throws RangeError if the step is not between one sample and a clip
 */
export function createClipCutter({ clipSamples, stepSamples, minTailSamples }: ClipLayout) {
  if (!Number.isInteger(stepSamples) || stepSamples < 1 || stepSamples > clipSamples) {
    throw new RangeError(`a clip step of ${stepSamples} samples; 1 to ${clipSamples} work`);
  }
  const minTail = Math.max(minTailSamples, clipSamples - stepSamples, 1);
  // kept[0 … length) holds the samples from the start of the next clip on.
  let kept = new Float32Array(clipSamples + PIECE_SAMPLES);
  let length = 0;
  let clipCount = 0;
  let sampleCount = 0;
  let ended = false;

  const nextLength = (): number => {
    if (length >= clipSamples) return clipSamples;
    if (!ended || length === 0) return 0;
    return clipCount === 0 || length >= minTail ? length : 0;
  };

  return {
    /** samples pushed so far */
    get sampleCount(): number {
      return sampleCount;
    },
    /** Appends a copy of the next samples. */
    push(samples: Float32Array): void {
      if (length + samples.length > kept.length) {
        const larger = new Float32Array(Math.max(length + samples.length, 2 * kept.length));
        larger.set(kept.subarray(0, length));
        kept = larger;
      }
      kept.set(samples, length);
      length += samples.length;
      sampleCount += samples.length;
    },
    /** Ends the recording, so that the tail can be cut. */
    end(): void {
      ended = true;
    },
    /** Writes the next clip into `target`. @returns false if none is ready */
    next(target: Float32Array): boolean {
      const size = nextLength();
      if (size === 0) return false;
      target.set(kept.subarray(0, size));
      target.fill(0, size);
      const step = Math.min(stepSamples, length);
      kept.copyWithin(0, step, length);
      length -= step;
      clipCount += 1;
      return true;
    },
  };
}
