import type { SpeciesTable } from '../model/labels.ts';

/** Bounds and resolution of the histogram. A mean outside the bounds counts in the nearest bin. */
const LOWEST = -40;
const HIGHEST = 24;
const BINS_PER_UNIT = 16;
const BIN_COUNT = (HIGHEST - LOWEST) * BINS_PER_UNIT;

/**
 * Finds the mean logit that at least `depth` birds reach. A histogram instead of a sort, because it runs for every passage over
 * thousands of labels, and a sixteenth of a logit does not matter.
 *
 * @returns −Infinity if there are no more birds than `depth`
 */
export function createMeanCut(species: SpeciesTable): (means: Float32Array, depth: number) => number {
  const bins = new Uint16Array(BIN_COUNT);
  const { isBird } = species;
  return (means, depth) => {
    if (species.birdCount <= depth) return -Infinity;
    bins.fill(0);
    for (let label = 0; label < means.length; label++) {
      if (isBird[label] !== 1) continue;
      const bin = Math.floor(((means[label] ?? 0) - LOWEST) * BINS_PER_UNIT);
      const inside = bin < 0 ? 0 : bin >= BIN_COUNT ? BIN_COUNT - 1 : bin;
      bins[inside] = (bins[inside] ?? 0) + 1;
    }
    let count = 0;
    for (let bin = BIN_COUNT - 1; bin > 0; bin--) {
      count += bins[bin] ?? 0;
      if (count >= depth) return LOWEST + bin / BINS_PER_UNIT;
    }
    return -Infinity;
  };
}
