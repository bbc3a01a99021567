import { describe, expect, it } from 'vitest';
import type { Mark, MarkCluster } from './mark.ts';
import { clusterAt } from './mark-lanes.tsx';

const cluster = (startSeconds: number): MarkCluster => ({
  marks: [{ id: String(startSeconds) } as Mark],
  startSeconds,
  endSeconds: startSeconds + 3,
});
const upper = [10, 20, 60].map(cluster);
const middle = [0, 17, 24, 90].map(cluster);
const lower = [50].map(cluster);
const lanes = [upper, middle, lower];
const from = (lane: readonly MarkCluster[], at: number, key: string): number | undefined => {
  const start = lane[at];
  if (!start) throw new Error('No such button');
  return clusterAt(lanes, start, key)?.startSeconds;
};

describe('An arrow key in the lanes of the timeline', () => {
  it('moves along a lane, and stops at its ends', () => {
    expect(from(middle, 1, 'ArrowLeft')).toBe(0);
    expect(from(middle, 1, 'ArrowRight')).toBe(24);
    expect(from(middle, 0, 'ArrowLeft')).toBe(0);
    expect(from(middle, 3, 'ArrowRight')).toBe(90);
    expect(from(middle, 1, 'Home')).toBe(0);
    expect(from(middle, 1, 'End')).toBe(90);
  });

  it('moves to the nearest detection in the lane above or below, and stops at the first and last lane', () => {
    expect(from(middle, 2, 'ArrowUp')).toBe(20);
    expect(from(middle, 3, 'ArrowUp')).toBe(60);
    expect(from(middle, 0, 'ArrowDown')).toBe(50);
    expect(from(upper, 1, 'ArrowUp')).toBe(20);
    expect(from(lower, 0, 'ArrowDown')).toBe(50);
  });

  it('is the only kind of key that moves the focus', () => {
    for (const key of ['Enter', ' ', '+', 'Tab', 'PageUp']) expect(from(middle, 1, key)).toBeUndefined();
  });
});
