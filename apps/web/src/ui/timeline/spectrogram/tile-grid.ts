import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';
import type { View } from '../view/view.ts';

/** A tile in the pyramid of images of one recording: level 0 has the finest columns, and their length doubles with each level. */
export interface Tile {
  readonly level: number;
  readonly index: number;
}

const COLUMNS_PER_TILE = 512;
/** Shorter columns show nothing new: a frame of the spectrum is 16 ms long. */
const FINEST_COLUMN_SECONDS = 0.002;
/** Tiles cover the highest range that an image can show; a lower range shows a part of each tile. */
export const TILE_TOP_HZ = 15_000;
/** 47 Hz each, finer than a frame of the spectrum resolves. */
export const ROWS_PER_TILE = 320;

const columnSeconds = (level: number): number => FINEST_COLUMN_SECONDS * 2 ** level;
const tileSeconds = (level: number): number => COLUMNS_PER_TILE * columnSeconds(level);

export const tileKey = ({ level, index }: Tile): string => `${level}/${index}`;

/** The level at which one tile holds the whole recording. */
export const coarsestLevel = (durationSeconds: number): number =>
  Math.max(0, Math.ceil(Math.log2(durationSeconds / tileSeconds(0)) - 1e-9));

/** The level for drawing a view: about as many columns as pixels, rather more than fewer. */
export function levelFor(spanSeconds: number, widthPixels: number, durationSeconds: number): number {
  const level = Math.floor(Math.log2(spanSeconds / Math.max(1, widthPixels) / FINEST_COLUMN_SECONDS) + 0.25);
  return Math.min(coarsestLevel(durationSeconds), Math.max(0, level));
}

/** The part of the recording that a tile covers. The last tile ends with the recording, with as many columns as it needs. */
export function stretchOf({ level, index }: Tile, durationSeconds: number): SpectrumExtent {
  const startSeconds = index * tileSeconds(level);
  const endSeconds = Math.min(startSeconds + tileSeconds(level), durationSeconds);
  const columns = Math.max(1, Math.min(COLUMNS_PER_TILE, Math.round((endSeconds - startSeconds) / columnSeconds(level))));
  return { startSeconds, endSeconds, maxHz: TILE_TOP_HZ, columns, rows: ROWS_PER_TILE };
}

/** Tiles of a level that overlap the view, from left to right. */
export function tilesIn(view: View, level: number, durationSeconds: number): readonly Tile[] {
  const last = Math.max(0, Math.ceil(durationSeconds / tileSeconds(level) - 1e-9) - 1);
  const from = Math.min(last, Math.max(0, Math.floor(view.startSeconds / tileSeconds(level))));
  const to = Math.min(last, Math.max(from, Math.ceil(view.endSeconds / tileSeconds(level) - 1e-9) - 1));
  return Array.from({ length: to - from + 1 }, (_, offset) => ({ level, index: from + offset }));
}

const parentOf = ({ level, index }: Tile): Tile => ({ level: level + 1, index: Math.floor(index / 2) });

/** Recordings up to this length (s) are drawn directly; longer ones get an overview first. */
const LONGEST_WITHOUT_OVERVIEW = 60;

/**
 * The tiles that a view needs, most urgent first: an overview, those in view from its middle outwards, those that a pan or zooming out will
 * need.
 */
export function tilesToLoad(view: View, widthPixels: number, durationSeconds: number): readonly Tile[] {
  const level = levelFor(view.endSeconds - view.startSeconds, widthPixels, durationSeconds);
  const visible = tilesIn(view, level, durationSeconds);
  const coarsest = coarsestLevel(durationSeconds);
  const middle = ((visible[0]?.index ?? 0) + (visible.at(-1)?.index ?? 0)) / 2;
  const reach = tileSeconds(level);
  const wanted = [
    ...(durationSeconds > LONGEST_WITHOUT_OVERVIEW ? [{ level: coarsest, index: 0 }] : []),
    ...visible.toSorted((one, other) => Math.abs(one.index - middle) - Math.abs(other.index - middle)),
    ...tilesIn({ startSeconds: view.startSeconds - reach, endSeconds: view.endSeconds + reach }, level, durationSeconds),
    ...(level < coarsest ? visible.map(parentOf) : []),
  ];
  return [...new Map(wanted.map((tile) => [tileKey(tile), tile])).values()];
}

interface Blit {
  readonly tile: Tile;
  readonly fromShare: number;
  readonly toShare: number;
  /** Whole pixels, so that neighbours meet without a seam. */
  readonly leftPixels: number;
  readonly rightPixels: number;
  /** Whether this is the tile that the view asks for, not a coarser substitute. */
  readonly isFine: boolean;
}

/** How to fill a view from the loaded tiles: where a fine one is missing, the nearest coarser one replaces it. */
export function planBlits(
  view: View,
  widthPixels: number,
  durationSeconds: number,
  isThere: (tile: Tile) => boolean,
): readonly Blit[] {
  const spanSeconds = view.endSeconds - view.startSeconds;
  const level = levelFor(spanSeconds, widthPixels, durationSeconds);
  const coarsest = coarsestLevel(durationSeconds);
  const pixelOf = (seconds: number) => Math.round(((seconds - view.startSeconds) / spanSeconds) * widthPixels);
  return tilesIn(view, level, durationSeconds).flatMap((wanted) => {
    let tile = wanted;
    while (!isThere(tile)) {
      if (tile.level >= coarsest) return [];
      tile = parentOf(tile);
    }
    const place = stretchOf(wanted, durationSeconds);
    const source = stretchOf(tile, durationSeconds);
    const share = (seconds: number) => (seconds - source.startSeconds) / (source.endSeconds - source.startSeconds);
    return {
      tile,
      fromShare: share(place.startSeconds),
      toShare: share(place.endSeconds),
      leftPixels: pixelOf(place.startSeconds),
      rightPixels: pixelOf(place.endSeconds),
      isFine: tile === wanted,
    };
  });
}
