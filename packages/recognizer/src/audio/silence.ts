/** Half of the smallest step of 16-bit sound: nothing a recorder made is quieter, and decoders' rounding noise is. */
const SILENT_PEAK = 2 ** -16;

/** Long enough that no sound crosses zero for so long. */
const BLOCK_SAMPLES = 1024;

/** Counts the samples that lie in digitally silent blocks; says the same however the recording is cut into chunks. */
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
        // In a variable of its own: this loop runs for every sample of silence. Of anything else the first loud one is enough.
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
    /** The recording has ended: the last block counts though it is not full. */
    end(): number {
      closeBlock();
      return silentSamples;
    },
  };
}
