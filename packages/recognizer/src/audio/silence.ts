/** Half of the smallest step of 16-bit audio: recorders produce nothing quieter, but the rounding noise of decoders is. */
export const SILENT_PEAK = 2 ** -16;

/** Longer than any sound stays near zero. */
const BLOCK_SAMPLES = 1024;

/** Counts the samples in digitally silent blocks, independently of how the recording is split into chunks. */
export function createSilenceMeter() {
  let silentSamples = 0;
  let inBlock = 0;
  let peak = 0;
  const closeBlock = (): void => {
    if (peak < SILENT_PEAK) silentSamples += inBlock;
    inBlock = 0;
    peak = 0;
  };
  return {
    push(samples: Float32Array): void {
      for (let from = 0; from < samples.length; ) {
        const to = Math.min(samples.length, from + BLOCK_SAMPLES - inBlock);
        // A local variable, for speed: in silence this loop runs for every sample. Otherwise it stops at the first loud one.
        let loudest = peak;
        for (let at = from; at < to && loudest < SILENT_PEAK; at++) {
          const loudness = Math.abs(samples[at] ?? 0);
          if (loudness > loudest) loudest = loudness;
        }
        peak = loudest;
        inBlock += to - from;
        from = to;
        if (inBlock === BLOCK_SAMPLES) closeBlock();
      }
    },
    /** Ends the recording. The last block counts even if it is not full. */
    end(): number {
      closeBlock();
      return silentSamples;
    },
  };
}
