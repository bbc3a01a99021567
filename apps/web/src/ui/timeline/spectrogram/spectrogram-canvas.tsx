import { useEffect, useEffectEvent, useRef } from 'react';
import styles from '../timeline.module.css';
import type { Viewport } from '../view/viewport.ts';
import type { PaletteName } from './paint-levels.ts';
import { paintOn } from './paint-on.ts';
import { planBlits, ROWS_PER_TILE, stretchOf, TILE_TOP_HZ, tilesToLoad } from './tile-grid.ts';
import { createTileLoader } from './tile-loader.ts';
import type { SpectrogramSource } from './use-spectrogram-source.ts';

interface Properties {
  readonly source: SpectrogramSource;
  readonly viewport: Viewport;
  readonly durationSeconds: number;
  readonly maxHz: number;
  readonly palette: PaletteName;
  readonly width: number;
  readonly height: number;
}

/** Levels are kept with their image, so that another palette needs neither a new computation nor a request. */
interface DrawnTile {
  readonly levels: Uint8Array;
  readonly image: HTMLCanvasElement;
  /** that the image is painted in; null before it is drawn for the first time */
  palette: PaletteName | null;
}

/** Tiles kept, at 0.8 MB each: several screens full, and the coarser levels above them. */
const TILES_KEPT = 64;

/** The image of a tile in the wanted colours. Painting one takes a few milliseconds, once. */
function imageOf(tile: DrawnTile, palette: PaletteName): HTMLCanvasElement {
  if (tile.palette !== palette) paintOn(tile.image, tile.levels, ROWS_PER_TILE, palette);
  tile.palette = palette;
  return tile.image;
}

/** Hidden from assistive technology: the summary and the table say the same. */
export function SpectrogramCanvas({ source, viewport, durationSeconds, maxHz, palette, width, height }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const tiles = useRef<ReturnType<typeof createTileLoader<DrawnTile>>>(null);
  const isComplete = useRef(false);

  /** Copies the tiles' images into place. */
  const draw = useEffectEvent(() => {
    const loader = tiles.current;
    const context = canvas.current?.getContext('2d');
    if (!loader || !canvas.current || !context || canvas.current.width === 0) return;
    const { width: wide, height: high } = canvas.current;
    const view = viewport.view();
    loader.want(tilesToLoad(view, wide, durationSeconds));
    context.clearRect(0, 0, wide, high);
    let pixels = 0;
    for (const { tile, fromShare, toShare, leftPixels, rightPixels, isFine } of planBlits(
      view,
      wide,
      durationSeconds,
      (tile) => loader.get(tile) !== undefined,
    )) {
      const drawn = loader.get(tile);
      if (!drawn) continue;
      const image = imageOf(drawn, palette);
      const shownRows = (image.height * maxHz) / TILE_TOP_HZ;
      const from = fromShare * image.width;
      const columns = (toShare - fromShare) * image.width;
      const top = image.height - shownRows;
      context.drawImage(image, from, top, columns, shownRows, leftPixels, 0, rightPixels - leftPixels, high);
      if (isFine) pixels += Math.min(wide, rightPixels) - Math.max(0, leftPixels);
    }
    const wasComplete = isComplete.current;
    isComplete.current = pixels >= wide;
    if (isComplete.current && !wasComplete) performance.mark('spectrogram-drawn');
  });

  useEffect(() => {
    const loader = createTileLoader<DrawnTile>({
      capacity: TILES_KEPT,
      parallel: source.parallel,
      async load(tile, signal) {
        const levels = await source.measure(stretchOf(tile, durationSeconds), signal);
        return { levels, image: document.createElement('canvas'), palette: null };
      },
      onTile: () => draw(),
    });
    tiles.current = loader;
    isComplete.current = false;
    const stopFollowing = viewport.onFrame(() => draw());
    return () => {
      stopFollowing();
      loader.close();
    };
  }, [source, viewport, durationSeconds]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is read when it draws
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const density = Math.min(2, window.devicePixelRatio);
    const [wide, high] = [Math.round(width * density), Math.round(height * density)];
    // Setting its size clears a canvas, even if the size stays the same.
    if (canvas.current.width !== wide) canvas.current.width = wide;
    if (canvas.current.height !== high) canvas.current.height = high;
    draw();
  }, [source, viewport, durationSeconds, maxHz, palette, width, height]);

  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas takes no focus
  return <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />;
}
