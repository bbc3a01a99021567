import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coarsestLevel, levelFor, planBlits, stretchOf, type Tile, tileKey, tilesIn, tilesToLoad } from './tile-grid.ts';

const hours = 3 * 3600;

describe('The zoom levels of the spectrogram', () => {
  it('end with one tile for the whole recording', () => {
    for (const duration of [0.3, 1.024, 8, 600, hours]) {
      const level = coarsestLevel(duration);
      expect(tilesIn({ startSeconds: 0, endSeconds: duration }, level, duration)).toEqual([{ level, index: 0 }]);
      expect(stretchOf({ level, index: 0 }, duration).endSeconds).toBe(duration);
    }
  });

  it('have between three quarters and five thirds as many columns as the view has pixels', () => {
    for (const span of [8, 60, 777, hours]) {
      const tiles = tilesIn({ startSeconds: 0, endSeconds: span }, levelFor(span, 1000, hours), span);
      const columns = tiles.reduce((sum, tile) => sum + stretchOf(tile, span).columns, 0);
      expect(columns / 1000).toBeGreaterThan(0.75);
      expect(columns / 1000).toBeLessThan(1.7);
    }
  });

  it('stop at the finest columns when zoomed in, and at one tile for the whole recording when zoomed out', () => {
    expect(levelFor(0.5, 2000, hours)).toBe(0);
    expect(levelFor(hours, 1, hours)).toBe(coarsestLevel(hours));
  });

  it('end their last tile with the recording, with columns as long as in the other tiles', () => {
    const tiles = tilesIn({ startSeconds: 0, endSeconds: 8 }, 2, 8);
    expect(tiles.map((tile) => stretchOf(tile, 8))).toMatchObject([
      { startSeconds: 0, endSeconds: 4.096, columns: 512 },
      { startSeconds: 4.096, endSeconds: 8, columns: 488 },
    ]);
  });

  it('cover every view without a gap', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.integer({ min: 1, max: hours }), (start, part, duration) => {
        const span = Math.min(duration, 0.5 + part * duration);
        const view = { startSeconds: start * (duration - span), endSeconds: start * (duration - span) + span };
        const stretches = tilesIn(view, levelFor(span, 1000, duration), duration).map((tile) => stretchOf(tile, duration));
        expect(stretches[0]?.startSeconds).toBeLessThanOrEqual(view.startSeconds + 1e-6);
        expect(stretches.at(-1)?.endSeconds).toBeGreaterThanOrEqual(view.endSeconds - 1e-6);
        for (const [index, { endSeconds, startSeconds }] of stretches.entries()) {
          expect(endSeconds).toBeGreaterThan(startSeconds);
          const next = stretches[index + 1];
          if (next) expect(next.startSeconds).toBeCloseTo(endSeconds, 9);
        }
      }),
    );
  });
});

describe('The tiles of the spectrogram that are loaded', () => {
  const view = { startSeconds: 3600, endSeconds: 3610 };
  const keys = tilesToLoad(view, 1000, hours).map(tileKey);
  const level = levelFor(10, 1000, hours);

  it('are first the overview, then those in view, then neighbours and those for zooming out', () => {
    const visible = tilesIn(view, level, hours).map(tileKey);
    expect(keys[0]).toBe(`${coarsestLevel(hours)}/0`);
    expect(keys.slice(1, 1 + visible.length).toSorted()).toEqual(visible.toSorted());
    const first = tilesIn(view, level, hours)[0]?.index ?? 0;
    expect(keys.indexOf(`${level}/${first - 1}`)).toBeGreaterThan(visible.length);
    expect(keys).toContain(`${level + 1}/${Math.floor(first / 2)}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('do not begin with the overview if the recording is short', () => {
    expect(tilesToLoad({ startSeconds: 0, endSeconds: 8 }, 1000, 8).map(tileKey)).toEqual(['2/0', '2/1', '3/0']);
  });

  it('number fewer than 24 at every zoom level', () => {
    for (const span of [0.5, 10, 600, hours])
      expect(tilesToLoad({ startSeconds: 0, endSeconds: span }, 2400, hours).length).toBeLessThan(24);
  });
});

describe('Drawing the spectrogram', () => {
  const view = { startSeconds: 100, endSeconds: 110 };

  it('places tiles next to each other at whole pixels and fills the width', () => {
    const blits = planBlits(view, 1000, hours, () => true);
    expect(blits[0]?.leftPixels).toBeLessThanOrEqual(0);
    expect(blits.at(-1)?.rightPixels).toBeGreaterThanOrEqual(1000);
    for (const [index, blit] of blits.entries()) {
      expect(Number.isInteger(blit.leftPixels)).toBe(true);
      expect(blit.isFine).toBe(true);
      expect([blit.fromShare, blit.toShare]).toEqual([0, 1]);
      const next = blits[index + 1];
      if (next) expect(next.leftPixels).toBe(blit.rightPixels);
    }
  });

  it('uses the matching part of the nearest coarser tile if a fine tile is not loaded', () => {
    const level = levelFor(10, 1000, hours);
    const there = ({ level: found }: Tile) => found >= level + 2;
    const blits = planBlits(view, 1000, hours, there);
    expect(blits).not.toEqual([]);
    for (const blit of blits) {
      expect(blit.tile.level).toBe(level + 2);
      expect(blit.isFine).toBe(false);
      expect(blit.toShare - blit.fromShare).toBeCloseTo(0.25);
      const { startSeconds, endSeconds } = stretchOf(blit.tile, hours);
      const seconds = startSeconds + blit.fromShare * (endSeconds - startSeconds);
      expect(Math.round(((seconds - 100) / 10) * 1000)).toBe(blit.leftPixels);
    }
  });

  it('draws nothing if no tile is loaded', () => {
    expect(planBlits(view, 1000, hours, () => false)).toEqual([]);
  });
});
