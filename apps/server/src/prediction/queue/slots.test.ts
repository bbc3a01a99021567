import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlots } from './slots.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('slots', () => {
  it('has slots for every job, and fewer for large ones', () => {
    const slots = createSlots(4, () => {}, 1000);
    const leave = [slots.enter(true), slots.enter(true)];
    expect(slots.free).toEqual({ any: true, large: false });
    for (let n = 0; n < 4; n += 1) slots.enter(false);
    expect(slots.free).toEqual({ any: false, large: false });
    leave[0]?.();
    expect(slots.free).toEqual({ any: false, large: false });
  });

  it('gives the slot of a job to another when it turns out to be long', () => {
    const onFree = vi.fn();
    const slots = createSlots(2, onFree, 1000);
    const leave = [slots.enter(false), slots.enter(false)];
    expect(slots.free.any).toBe(false);
    vi.advanceTimersByTime(1001);
    expect(onFree).toHaveBeenCalledTimes(2);
    expect(slots.free).toEqual({ any: true, large: false });
    for (let n = 0; n < 4; n += 1) {
      leave.push(slots.enter(false));
      vi.advanceTimersByTime(1001);
    }
    expect(slots.free.any).toBe(false);
    for (const one of leave) one();
    expect(slots.free).toEqual({ any: true, large: true });
  });
});
