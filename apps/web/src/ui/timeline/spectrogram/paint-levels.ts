/** `ink` by day and `darkInk` by night are the page's `--paper-sunk` and `--ink`. */
export type PaletteName = 'viridis' | 'ink' | 'darkInk';

/** Viridis by Nathaniel Smith and Stéfan van der Walt (CC0), at nine even steps; colours in between are interpolated. */
const viridis = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const;

const ink = [
  [239, 232, 213],
  [35, 38, 28],
] as const;
const darkInk = [
  [22, 26, 35],
  [240, 233, 218],
] as const;

/** Below 1, so that a faint stroke is seen. */
const INK_GAMMA = 0.7;

const stops: { readonly [Name in PaletteName]: readonly (readonly [number, number, number])[] } = { viridis, ink, darkInk };

/** 256 colours from quiet to loud, each packed for a little-endian RGBA pixel buffer. */
export function createPalette(name: PaletteName): Uint32Array {
  const steps = stops[name];
  const gamma = name === 'viridis' ? 1 : INK_GAMMA;
  return Uint32Array.from({ length: 256 }, (_, level) => {
    const position = (level / 255) ** gamma * (steps.length - 1);
    const from = Math.min(steps.length - 2, Math.floor(position));
    const mix = (channel: 0 | 1 | 2) => {
      const low = steps[from]?.[channel] ?? 0;
      const high = steps[from + 1]?.[channel] ?? 0;
      return Math.round(low + (high - low) * (position - from));
    };
    return ((255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0)) >>> 0;
  });
}

/** Paints levels: one byte a point, column after column, each from 0 Hz upwards. @returns RGBA pixels, row by row from the top */
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
