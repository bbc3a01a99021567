import { decibelsOf, type FramePowers, powerBetween } from './frames.ts';
import { checkUpThresholds } from './thresholds.ts';

const limits = checkUpThresholds.bandLimit;

const BAND_HZ = 250;
/** A band is compared with the four bands (1 kHz) below it. */
const BANDS_BELOW = 4;
const BANDS_OF_EDGE = limits.edge / BAND_HZ;
/** Levels are counted in steps of 1 dB. */
const LOWEST_DECIBELS = -160;
const STEPS = 1 - LOWEST_DECIBELS;

/**
 * Finds the frequency above which a recording is cut off, as by low-bitrate codecs, telephones and low sampling rates.
 *
 * A bird that sings below 5 kHz is not a cut-off. Therefore the steady sound decides, the 25th percentile of the level in each 250
 * Hz band: at a cut-off it drops sharply, and even loud moments stay low above it.
 */
export function createBandLimitMeter(sampleRate: number, binHz: number) {
  const bandCount = Math.floor(sampleRate / 2 / BAND_HZ);
  const counts = new Uint32Array(bandCount * STEPS);
  let frames = 0;

  const levelsAt = (share: number): readonly number[] =>
    Array.from({ length: bandCount }, (_, band) => {
      let left = frames * share;
      for (let step = 0; step < STEPS; step++) {
        left -= counts[band * STEPS + step] ?? 0;
        if (left < 0) return step + LOWEST_DECIBELS;
      }
      return 0;
    });

  return {
    add(powers: FramePowers): void {
      frames += 1;
      for (let band = 0; band < bandCount; band++) {
        const level = Math.round(decibelsOf(powerBetween(powers, binHz, band * BAND_HZ, (band + 1) * BAND_HZ)));
        const place = band * STEPS + Math.min(Math.max(level - LOWEST_DECIBELS, 0), STEPS - 1);
        counts[place] = (counts[place] ?? 0) + 1;
      }
    },
    /** @returns the band limit in Hz, null if there is none that affects birds */
    end(): number | null {
      if (frames < limits.fewestFrames) return null;
      return findCliff(levelsAt(limits.steadyShare), levelsAt(limits.loudShare));
    },
  };
}

function findCliff(steady: readonly number[], loud: readonly number[]): number | null {
  const steadyAbove = highestFrom(steady);
  const loudAbove = highestFrom(loud);
  for (let band = limits.lowest / BAND_HZ; band <= limits.highest / BAND_HZ; band++) {
    const below = lowerMedian(steady.slice(band - BANDS_BELOW, band));
    const beyond = band + BANDS_OF_EDGE;
    const isCliff =
      below >= limits.leastDecibels &&
      (steadyAbove[beyond] ?? 0) <= Math.min(limits.emptyDecibels, below - limits.drop) &&
      (loudAbove[beyond] ?? 0) <= below - limits.loudMargin;
    if (!isCliff) continue;
    let end = beyond;
    while (end > band && (steady[end - 1] ?? 0) < below - limits.fallenBy) end -= 1;
    return end * BAND_HZ <= limits.highest ? end * BAND_HZ : null;
  }
  return null;
}

/** The highest level from each index on. */
function highestFrom(levels: readonly number[]): readonly number[] {
  const result = [...levels];
  for (let at = result.length - 2; at >= 0; at--) result[at] = Math.max(result[at] ?? 0, result[at + 1] ?? 0);
  return result;
}

const lowerMedian = (levels: readonly number[]): number =>
  levels.toSorted((a, b) => a - b)[Math.floor((levels.length - 1) / 2)] ?? 0;
