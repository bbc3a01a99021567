import { useEffect, useEffectEvent, useRef } from 'react';
import styles from '../timeline.module.css';
import type { Viewport } from '../view/viewport.ts';
import { type PaletteName, paintOn } from './paint-levels.ts';
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

/** What to draw; read on every frame. */
type DrawRequest = Pick<Properties, 'maxHz' | 'palette'> & { readonly target: HTMLCanvasElement };

/** The image of a tile in the wanted colours. Painting one takes a few milliseconds, once. */
function imageOf(tile: DrawnTile, palette: PaletteName): HTMLCanvasElement {
  if (tile.palette !== palette) paintOn(tile.image, tile.levels, ROWS_PER_TILE, palette);
  tile.palette = palette;
  return tile.image;
}

function createDrawing({ source, viewport, durationSeconds }: Properties, drawRequest: () => DrawRequest | null) {
  let isComplete = false;
  const loader = createTileLoader<DrawnTile>({
    capacity: TILES_KEPT,
    parallel: source.parallel,
    async load(tile, signal) {
      const levels = await source.measure(stretchOf(tile, durationSeconds), signal);
      return { levels, image: document.createElement('canvas'), palette: null };
    },
    onTile: () => draw(),
  });

  /** Copies the tiles' images into place. */
  function draw() {
    const wanted = drawRequest();
    const context = wanted?.target.getContext('2d');
    if (!wanted || !context || wanted.target.width === 0) return;
    const { width, height } = wanted.target;
    const view = viewport.view();
    loader.want(tilesToLoad(view, width, durationSeconds));
    context.clearRect(0, 0, width, height);
    const blits = planBlits(view, width, durationSeconds, (tile) => loader.get(tile) !== undefined);
    let pixels = 0;
    for (const { tile, fromShare, toShare, leftPixels, rightPixels, isFine } of blits) {
      const drawn = loader.get(tile);
      if (!drawn) continue;
      const image = imageOf(drawn, wanted.palette);
      const shownRows = (image.height * wanted.maxHz) / TILE_TOP_HZ;
      const from = fromShare * image.width;
      const columns = (toShare - fromShare) * image.width;
      const top = image.height - shownRows;
      context.drawImage(image, from, top, columns, shownRows, leftPixels, 0, rightPixels - leftPixels, height);
      if (isFine) pixels += Math.min(width, rightPixels) - Math.max(0, leftPixels);
    }
    const wasComplete = isComplete;
    isComplete = pixels >= width;
    if (isComplete && !wasComplete) performance.mark('spectrogram-drawn');
  }

  const stopFollowing = viewport.onFrame(draw);
  return {
    draw,
    close() {
      stopFollowing();
      loader.close();
    },
  };
}

/** Hidden from assistive technology: the summary and the table say the same. */
export function SpectrogramCanvas(properties: Properties) {
  const { source, viewport, durationSeconds, maxHz, palette, width, height } = properties;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<ReturnType<typeof createDrawing> | null>(null);
  const drawRequest = useEffectEvent((): DrawRequest | null => canvas.current && { maxHz, palette, target: canvas.current });

  // biome-ignore lint/correctness/useExhaustiveDependencies: size, range and colours change what is drawn, not from what
  useEffect(() => {
    const opened = createDrawing(properties, () => drawRequest());
    drawing.current = opened;
    return opened.close;
  }, [source, viewport, durationSeconds]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: range and colours are read when it draws
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const density = Math.min(2, window.devicePixelRatio);
    const [wide, high] = [Math.round(width * density), Math.round(height * density)];
    // Setting its size clears a canvas, even if the size stays the same.
    if (canvas.current.width !== wide) canvas.current.width = wide;
    if (canvas.current.height !== high) canvas.current.height = high;
    drawing.current?.draw();
  }, [source, viewport, durationSeconds, maxHz, palette, width, height]);

  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas takes no focus
  return <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />;
}
