import type { SpeciesRange } from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';

/** Lowest occurrence of each step of the map; from the first one on, results call a bird *expected here*. */
export const RANGE_STEPS = [0.03, 0.2, 0.5] as const;

/** The map's drawing: one SVG path per step, in degrees, north up. */
export function rangePaths({ cells, degrees, north, columns, rows }: SpeciesRange): string[] {
  const bytes = Uint8Array.from(atob(cells), (character) => character.charCodeAt(0));
  const lowest = RANGE_STEPS.map(occurrenceToByte);
  const stepAt = (row: number, column: number): number =>
    column < columns ? lowest.findLastIndex((byte) => (bytes[row * columns + column] ?? 0) >= byte) : -1;
  const paths = RANGE_STEPS.map(() => '');
  for (let row = 0; row < rows; row++) {
    // Merges adjacent cells of one step into a rectangle.
    let begun = 0;
    for (let column = 0; column <= columns; column++) {
      const step = stepAt(row, begun);
      if (column < columns && stepAt(row, column) === step) continue;
      if (step >= 0) {
        const width = (column - begun) * degrees;
        paths[step] += `M${begun * degrees - 180} ${row * degrees - north}h${width}v${degrees}h${-width}z`;
      }
      begun = column;
    }
  }
  return paths;
}
