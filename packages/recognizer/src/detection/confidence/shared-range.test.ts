import { describe, expect, it } from 'vitest';
import { occurrenceToByte } from '../occurrence.ts';
import { sharedRanges } from './shared-range.ts';

/** Occurrences of three birds in three zones: 0 and 1 live in the first, 1 and 2 in the second, 2 in the third. */
const zones = Uint8Array.from([0.5, 0.2, 0, 0, 0.2, 0.5, 0, 0, 0.4], occurrenceToByte);
const sharesOf = (...confidences: readonly number[]) => {
  const labels = [...confidences.keys()].filter((label) => (confidences[label] ?? 0) > 0);
  return Object.fromEntries(sharedRanges(Float64Array.from(confidences), labels, zones));
};

describe('The part of other birds’ range in which a bird also lives', () => {
  it('is the whole if it lives in all of their places, less if in some, and least if in none', () => {
    const shares = sharesOf(0.999, 0.6, 0.6);
    expect(shares[1]).toBeCloseTo(0.99, 1);
    expect(shares[2]).toBeLessThan(0.05);
    expect(sharesOf(0, 0.999, 0.6)[2]).toBeCloseTo(0.5, 2);
  });

  it('is the whole if no other bird in the recording is certain enough', () => {
    expect(sharesOf(0.9)).toEqual({ 0: 1 });
    expect(sharesOf(0.9, 0, 0.05)[0]).toBe(1);
  });

  it('falls as the other birds become more certain', () => {
    const shares = [0.2, 0.6, 0.95].map((certain) => sharesOf(certain, 0, 0.3)[2] ?? 0);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(new Set(shares)).toHaveLength(3);
  });

  it('includes a place only in proportion if the occurrence there is below 0.03 (0.006 as a fifth)', () => {
    const rare = Uint8Array.from([0.5, 0.006], occurrenceToByte);
    expect(sharedRanges(Float64Array.of(0.9, 0.5), [0, 1], rare).get(1)).toBeCloseTo(0.2, 2);
  });

  it('is still a number, at least 0.001, for hundreds of certain birds that share no place', () => {
    const count = 400;
    const each = new Uint8Array(count * count);
    for (let label = 0; label < count; label += 1) each[label * count + label] = 255;
    const labels = Array.from({ length: count }, (_, label) => label);
    const shares = sharedRanges(new Float64Array(count).fill(1 - 1e-6), labels, each);
    for (const share of shares.values()) expect(share).toBeGreaterThanOrEqual(0.001);
  });
});
