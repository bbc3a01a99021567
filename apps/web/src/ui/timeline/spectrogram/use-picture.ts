import { type RefObject, useEffect } from 'react';
import type { Span } from '../../../platform/format/format.ts';
import { usePalette } from './use-palette.ts';
import type { SpectrogramSource } from './use-spectrogram-source.ts';

const MAX_HZ = 12_000;
const ROWS = 128;
/** Finer columns than this, in seconds, blur into each other. */
const FINEST_SECONDS = 0.01;

/** Paints one passage on a canvas. @param width of the canvas, in CSS pixels; nothing is painted while it is 0, as in a hidden one */
export function usePicture(
  canvas: RefObject<HTMLCanvasElement | null>,
  source: SpectrogramSource | null,
  { startSeconds, endSeconds }: Span,
  width: number,
): void {
  const palette = usePalette();
  useEffect(() => {
    if (!source || width === 0) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const draw = async () => {
      const columns = Math.max(1, Math.min(width, Math.floor((endSeconds - startSeconds) / FINEST_SECONDS)));
      const levels = await source.measure({ startSeconds, endSeconds, maxHz: MAX_HZ, columns, rows: ROWS }, signal);
      const picture = await source.paint(levels, ROWS, palette, signal);
      const context = signal.aborted ? null : canvas.current?.getContext('2d');
      if (context) {
        context.canvas.width = picture.width;
        context.canvas.height = picture.height;
        context.drawImage(picture, 0, 0);
      }
      picture.close();
    };
    draw().catch(() => {}); // the timeline says why there is no picture
    return () => controller.abort();
  }, [canvas, source, width, palette, startSeconds, endSeconds]);
}
