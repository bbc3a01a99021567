import { type PaletteName, paintLevels } from './paint-levels.ts';

/** Paints levels on a canvas, which takes their size. @param levels `rows` per column, at least one */
export function paintOn(canvas: HTMLCanvasElement, levels: Uint8Array, rows: number, palette: PaletteName): void {
  const columns = levels.length / rows;
  Object.assign(canvas, { width: columns, height: rows });
  canvas.getContext('2d')?.putImageData(new ImageData(paintLevels(levels, rows, palette), columns, rows), 0, 0);
}
