/** How a recording is cut into clips. All in samples. */
export interface ClipLayout {
  readonly clipSamples: number;
  /** between the starts of clips; at most a clip, so that nothing is left out */
  readonly stepSamples: number;
  /** A last clip that is not full is kept when at least so much sound remains for it. */
  readonly minTailSamples: number;
}

/** Samples that are best pushed at once; more make the cutter's buffer grow. */
export const PIECE_SAMPLES = 16_384;

/**
 * Cuts a stream of samples into overlapping clips, the last one padded with zeros.
 *
 * A tail is kept when at least `minTailSamples` of sound remain for it and it adds to what the clip before has heard: with 3 s
 * clips every 1.5 s that means 1.5 s of sound. Sound shorter than one clip is one padded clip.
 *
 * @throws RangeError when the step is not between one sample and a clip
 */
export function createClipCutter({ clipSamples, stepSamples, minTailSamples }: ClipLayout) {
  if (!Number.isInteger(stepSamples) || stepSamples < 1 || stepSamples > clipSamples) {
    throw new RangeError(`a clip step of ${stepSamples} samples; 1 to ${clipSamples} work`);
  }
  const minTail = Math.max(minTailSamples, clipSamples - stepSamples, 1);
  // Samples from the start of the next clip on are in kept[0 … length).
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
    /** The next samples; copied. */
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
    /** The recording has ended: tails may be cut. */
    end(): void {
      ended = true;
    },
    /** Writes the next clip into `target` and says whether there was one. */
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
