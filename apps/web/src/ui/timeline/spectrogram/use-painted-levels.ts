import { useEffect, useRef, useState } from 'react';
import { useMedia } from '../../../platform/browser/store.ts';
import type { Span } from '../../../platform/format/format.ts';
import { usePreferences } from '../../../platform/storage/preferences.ts';
import type { PaletteName } from './paint-levels.ts';
import { paintOn } from './paint-on.ts';
import type { SpectrogramSource } from './use-spectrogram-source.ts';

/** The colours to paint spectrograms in: the chosen ones, ink as in the theme that is shown. */
export function usePalette(): PaletteName {
  const { spectrogramColours, theme } = usePreferences();
  const isDarkDevice = useMedia('(prefers-color-scheme: dark)');
  const isDark = theme === 'system' ? isDarkDevice : theme === 'dark';
  return spectrogramColours === 'ink' && isDark ? 'darkInk' : spectrogramColours;
}

/** Paints levels on a canvas of their own size. @param levels `rows` per column; nothing is painted while there are none */
export function usePaintedLevels(levels: Uint8Array | null | undefined, rows: number) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    if (canvas.current && levels && levels.length > 0) paintOn(canvas.current, levels, rows, palette);
  }, [levels, rows, palette]);
  return canvas;
}

const MAX_HZ = 12_000;
const ROWS = 128;
/** Finer columns than this, in seconds, blur into each other. */
const FINEST_SECONDS = 0.01;

/** Paints one passage on a canvas. @param width of the canvas, in CSS pixels; nothing is painted while it is 0, as in a hidden one */
export function usePicture(source: SpectrogramSource | null, { startSeconds, endSeconds }: Span, width: number) {
  const [levels, setLevels] = useState<Uint8Array | null>(null);
  useEffect(() => {
    if (!source || width === 0) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const columns = Math.max(1, Math.min(width, Math.floor((endSeconds - startSeconds) / FINEST_SECONDS)));
    source.measure({ startSeconds, endSeconds, maxHz: MAX_HZ, columns, rows: ROWS }, signal).then(
      (measured) => !signal.aborted && setLevels(measured),
      () => {}, // the timeline says why there is no picture
    );
    return () => controller.abort();
  }, [source, width, startSeconds, endSeconds]);
  return usePaintedLevels(levels, ROWS);
}
