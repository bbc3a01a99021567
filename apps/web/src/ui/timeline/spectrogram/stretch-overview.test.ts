import { OVERVIEW_BANDS } from '@chiffchaff/contract';
import { expect, it } from 'vitest';
import { stretchOverview } from './stretch-overview.ts';

/** A hundred columns of two seconds, of which the one at 40 s has a loud band from 3,047 to 3,281 Hz. */
const overview = new Uint8Array(100 * OVERVIEW_BANDS);
overview[20 * OVERVIEW_BANDS + 13] = 200;
const rows = 64;
const stretch = (startSeconds: number, endSeconds: number, columns: number) =>
  stretchOverview(overview, 2, { startSeconds, endSeconds, columns, rows, maxHz: 15_000 });

it('An overview with as many columns as its drawing is drawn unchanged', () => {
  const levels = stretch(0, 200, 100);
  expect(levels).toEqual(overview);
});

it('An overview drawn with more columns than it has fades from one column to the next', () => {
  const row = Array.from(stretch(38, 44, 12), (level, index) => (index % rows === 13 ? level : -1)).filter((level) => level >= 0);
  const highest = Math.max(...row);
  expect(highest).toBeGreaterThan(150);
  expect(row.indexOf(highest)).toBe(5);
  expect([row[0], row[11]]).toEqual([0, 0]);
});

it('An overview drawn with fewer columns than it has still shows a short loud part', () => {
  const levels = stretch(0, 200, 10);
  expect(levels[2 * rows + 13]).toBeGreaterThan(40);
  expect(levels[5 * rows + 13]).toBe(0);
});
