import { useEffect, useRef } from 'react';
import { usePalette } from './use-palette.ts';
import { paintLevels } from './worker/paint-levels.ts';

/** Paints levels on a canvas of their own size. @param levels `rows` per column; nothing is painted while there are none */
export function usePaintedLevels(levels: Uint8Array | null | undefined, rows: number) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!levels || !context || levels.length === 0) return;
    const columns = levels.length / rows;
    Object.assign(context.canvas, { width: columns, height: rows });
    context.putImageData(new ImageData(paintLevels(levels, rows, palette), columns, rows), 0, 0);
  }, [levels, rows, palette]);
  return canvas;
}
