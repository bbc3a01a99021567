import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLanes } from './lanes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('lanes', () => {
  it('has places for every job, and fewer for large ones', () => {
    const lanes = createLanes(4, () => {}, 1000);
    const leave = [lanes.enter(true), lanes.enter(true)];
    expect(lanes.free).toEqual({ any: true, large: false });
    for (let n = 0; n < 4; n += 1) lanes.enter(false);
    expect(lanes.free).toEqual({ any: false, large: false });
    leave[0]?.();
    expect(lanes.free).toEqual({ any: false, large: false });
  });

  it('gives the place of a job to another when it turns out to be long', () => {
    const onFree = vi.fn();
    const lanes = createLanes(2, onFree, 1000);
    const leave = [lanes.enter(false), lanes.enter(false)];
    expect(lanes.free.any).toBe(false);
    vi.advanceTimersByTime(1001);
    expect(onFree).toHaveBeenCalledTimes(2);
    expect(lanes.free).toEqual({ any: true, large: false });
    for (let n = 0; n < 4; n += 1) {
      leave.push(lanes.enter(false));
      vi.advanceTimersByTime(1001);
    }
    expect(lanes.free.any).toBe(false);
    for (const one of leave) one();
    expect(lanes.free).toEqual({ any: true, large: true });
  });
});
