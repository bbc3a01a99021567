import { createPalette, type PaletteName } from './palette.ts';

/**
 * Paints levels of a spectrum, as they are computed here or come from the server: a byte a point, column after column, each from 0 Hz
 * upwards.
 *
 * @returns RGBA pixels, row by row from the top
 */
export function paintLevels(levels: Uint8Array, rows: number, palette: PaletteName): Uint8ClampedArray<ArrayBuffer> {
  const colours = createPalette(palette);
  const columns = levels.length / rows;
  const pixels = new Uint32Array(levels.length);
  for (let y = 0; y < rows; y += 1) {
    const row = rows - 1 - y;
    for (let x = 0; x < columns; x += 1) pixels[y * columns + x] = colours[levels[x * rows + row] ?? 0] ?? 0;
  }
  return new Uint8ClampedArray(pixels.buffer);
}
