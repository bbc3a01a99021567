import { describe, expect, it } from 'vitest';
import { weekOf } from './occurrence.ts';

describe('week', () => {
  it.each([
    [1, 1, 1],
    [1, 7, 1],
    [1, 8, 2],
    [1, 28, 4],
    [1, 31, 4],
    [2, 29, 8],
    [5, 15, 19],
    [12, 31, 48],
  ])('of month %i, day %i is %i', (month, day, week) => {
    expect(weekOf(month, day)).toBe(week);
  });
});
