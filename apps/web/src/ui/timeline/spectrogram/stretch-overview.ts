import { OVERVIEW_BANDS, OVERVIEW_TOP_HZ } from '@chiffchaff/contract';
import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';

/**
 * Levels of a stretch of a recording, from its overview. Narrower columns are interpolated, wider ones joined by the root mean square, so
 * that a short song does not fade.
 */
export function stretchOverview(
  overview: Uint8Array,
  columnSeconds: number,
  { startSeconds, endSeconds, maxHz, columns, rows }: SpectrumExtent,
): Uint8Array<ArrayBuffer> {
  const levels = new Uint8Array(columns * rows);
  const step = (endSeconds - startSeconds) / columns / columnSeconds;
  const reach = Math.max(1, step);
  const last = overview.length / OVERVIEW_BANDS - 1;
  const squares = new Float32Array(OVERVIEW_BANDS);
  for (let column = 0; column < columns; column += 1) {
    // In columns of the overview, from the middle of its first. Those around it count less the further away they are.
    const middle = startSeconds / columnSeconds + (column + 0.5) * step - 0.5;
    let weights = 0;
    squares.fill(0);
    for (let at = Math.max(0, Math.ceil(middle - reach)); at <= Math.min(last, middle + reach); at += 1) {
      const weight = reach - Math.abs(at - middle);
      weights += weight;
      for (let band = 0; band < OVERVIEW_BANDS; band += 1)
        squares[band] = (squares[band] ?? 0) + weight * (overview[at * OVERVIEW_BANDS + band] ?? 0) ** 2;
    }
    for (let row = 0; row < rows; row += 1) {
      const place = (((row + 0.5) / rows) * maxHz * OVERVIEW_BANDS) / OVERVIEW_TOP_HZ - 0.5;
      const below = Math.min(OVERVIEW_BANDS - 1, Math.max(0, Math.floor(place)));
      const low = squares[below] ?? 0;
      const high = squares[below + 1] ?? low;
      levels[column * rows + row] = Math.sqrt((low + (high - low) * Math.max(0, place - below)) / weights);
    }
  }
  return levels;
}
