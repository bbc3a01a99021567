/** Far above anything a recorder writes (32-bit integers kept as floats reach 2.1e9), far below where sums overflow. */
const LOUDEST = 1e12;

/** Replaces NaN, infinities and numbers near them with silence. Float files may hold them, and a single one would spoil a whole clip. */
export function replaceInvalidSamples(samples: Float32Array): void {
  // If the sum is in range, all samples are. Few pieces need the second loop.
  let loudness = 0;
  for (let i = 0; i < samples.length; i++) loudness += Math.abs(samples[i] ?? 0);
  if (loudness <= LOUDEST) return;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    // The comparison is false for NaN too.
    if (sample === undefined || !(sample <= LOUDEST && sample >= -LOUDEST)) samples[i] = 0;
  }
}
