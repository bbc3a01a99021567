import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { occurrenceFromByte, occurrenceToByte, weekOf } from './occurrence.ts';

describe('The week of a date (`weekOf`)', () => {
  it.each([
    [1, 1, 1],
    [1, 7, 1],
    [1, 8, 2],
    [1, 28, 4],
    [1, 31, 4],
    [2, 29, 8],
    [5, 15, 19],
    [12, 31, 48],
  ])('is, for month %i and day %i, week %i', (month, day, week) => {
    expect(weekOf(month, day)).toBe(week);
  });
});

describe('An occurrence stored as a byte', () => {
  it('differs by less than 2 % from the exact one above 0.0001, keeps the order of occurrences, and keeps 0 and 1', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 1, noNaN: true }), (occurrence) => {
        expect(Math.abs(occurrenceFromByte(occurrenceToByte(occurrence)) / occurrence - 1)).toBeLessThan(0.02);
      }),
    );
    const all = Array.from({ length: 256 }, (_, byte) => occurrenceFromByte(byte));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(all.map(occurrenceToByte)).toEqual(all.map((_, byte) => byte));
    expect([
      occurrenceFromByte(occurrenceToByte(0)),
      occurrenceFromByte(occurrenceToByte(1)),
      occurrenceFromByte(occurrenceToByte(0.00009)),
    ]).toEqual([0, 1, 0]);
  });
});
