import { deflateSync } from 'node:zlib';
import { pngOf } from '@chiffchaff/server/overview-png';

/** Levels of opacity: as many as 4 bits per pixel can hold. */
export const MASK_STEPS = 16;

/**
 * A PNG that contains only opacity, which the page fills with any colour (`mask-image`).
 *
 * @param stepAt 0 (clear) to 15 (solid) for the pixel at a column and a row, counted from the top left
 */
export function encodeMaskPng(columns: number, rows: number, stepAt: (column: number, row: number) => number): Buffer {
  const stride = 1 + Math.ceil(columns / 2);
  const pixels = Buffer.alloc(stride * rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const place = row * stride + 1 + (column >> 1);
      pixels[place] = (pixels[place] ?? 0) | (stepAt(column, row) << (column % 2 === 0 ? 4 : 0));
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header.set([4, 3, 0, 0, 0], 8); // 4 bits per pixel, palette
  const opacities = Buffer.from(Array.from({ length: MASK_STEPS }, (_, step) => Math.round((step * 255) / (MASK_STEPS - 1))));
  const palette = Buffer.alloc(3 * MASK_STEPS);
  return pngOf({ IHDR: header, PLTE: palette, tRNS: opacities, IDAT: deflateSync(pixels, { level: 9 }) });
}
