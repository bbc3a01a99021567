import { crc32, deflateSync } from 'node:zlib';

/** Levels of opacity: as many as 4 bits per pixel can hold. */
export const MASK_STEPS = 16;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const check = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

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
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.alloc(3 * MASK_STEPS)),
    chunk('tRNS', opacities),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
