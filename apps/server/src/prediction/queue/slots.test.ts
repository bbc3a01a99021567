import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlots, type Lane, laneOf } from './slots.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LONG_AFTER_MS = 1000;
const jobOf = (accountId: string | null, network: string | null = null) => ({ id: 'any', accountId, network });

/** Slots that record who was asked to give way, and are left immediately then. */
function openSlots(count: number) {
  const onFree = vi.fn();
  const gaveWay: string[] = [];
  const slots = createSlots({ count, onFree, longAfterMs: LONG_AFTER_MS });
  /** @returns its slot */
  const begin = (accountId: string, lane: Lane, network: string | null = null) => {
    const slot = slots.enter(jobOf(accountId, network), lane, () => {
      gaveWay.push(accountId);
      slot.leave();
    });
    vi.advanceTimersByTime(1);
    return slot;
  };
  return { ...slots, onFree, gaveWay, begin };
}

describe('The slots for jobs', () => {
  it('are all open to short recordings, and half of them to long ones', () => {
    const { begin, hasRoom } = openSlots(4);
    const large = [begin('ann', 'long'), begin('ann', 'long')];
    expect(hasRoom(jobOf('ann'), 'long')).toBe(false);
    for (let n = 0; n < 4; n += 1) {
      expect(hasRoom(jobOf('ann'), 'short')).toBe(true);
      begin('ann', 'short');
    }
    expect(hasRoom(jobOf('ann'), 'short')).toBe(false);
    large[0]?.leave();
    expect(hasRoom(jobOf('ann'), 'long')).toBe(true);
    expect(hasRoom(jobOf('ann'), 'short')).toBe(false);
  });

  it('become free when a job turns out to be long, because the job moves to a long slot or back to the queue', () => {
    const { begin, hasRoom, onFree, gaveWay, held } = openSlots(2);
    for (let n = 0; n < 2; n += 1) begin('ann', 'short');
    expect(hasRoom(jobOf('ann'), 'short')).toBe(false);
    vi.advanceTimersByTime(LONG_AFTER_MS);
    expect(onFree).toHaveBeenCalledTimes(2);
    for (let n = 0; n < 6; n += 1) {
      expect(hasRoom(jobOf('ann'), 'short')).toBe(true);
      begin('ann', 'short');
      vi.advanceTimersByTime(LONG_AFTER_MS);
    }
    // Four keep long slots, each of the others went back to the queue, and short slots stay free.
    expect(gaveWay).toHaveLength(4);
    expect(held()).toEqual([4]);
  });

  it('go to the owner with the fewest jobs, until all owners that wait have as many', () => {
    const { begin, hasRoom, makeRoom, gaveWay, held } = openSlots(4);
    for (let n = 0; n < 4; n += 1) begin('ann', 'short');
    for (let n = 0; n < 4; n += 1) {
      if (!hasRoom(jobOf('bob'), 'short')) makeRoom(jobOf('bob'), 'short');
      if (hasRoom(jobOf('bob'), 'short')) begin('bob', 'short');
    }
    expect(gaveWay).toEqual(['ann', 'ann']);
    expect(hasRoom(jobOf('bob'), 'short')).toBe(false);
    makeRoom(jobOf('ann'), 'short');
    expect(gaveWay).toHaveLength(2);
    expect(held()).toEqual([2, 2]);
  });

  it('let only one job at a time give way', () => {
    const { enter, makeRoom } = createSlots({ count: 4, onFree: () => {} });
    const giveWay = vi.fn();
    for (let n = 0; n < 4; n += 1) enter(jobOf('ann'), 'short', giveWay);
    for (let n = 0; n < 4; n += 1) makeRoom(jobOf('bob'), 'short');
    expect(giveWay).toHaveBeenCalledTimes(1);
  });

  it('let one long recording of each owner begin at once, whatever others have', () => {
    const { begin, hasRoom } = openSlots(2);
    begin('ann', 'long');
    expect(hasRoom(jobOf('ann'), 'long')).toBe(false);
    expect(hasRoom(jobOf('bob'), 'long')).toBe(true);
  });

  it('go from one owner’s long recording to another owner’s after two minutes if every owner has one', () => {
    const { begin, makeRoom, gaveWay } = openSlots(1);
    begin('ann', 'long');
    begin('bob', 'long');
    makeRoom(jobOf('eve'), 'long');
    expect(gaveWay).toEqual([]);
    vi.advanceTimersByTime(121_000);
    makeRoom(jobOf('eve'), 'long');
    expect(gaveWay).toEqual(['bob']);
  });

  it('leave a quarter of the slots to other networks, however many accounts one network has', () => {
    const { begin, makeRoom, gaveWay } = openSlots(4);
    for (const account of ['ann', 'bob', 'cat', 'dan']) begin(account, 'short', '192.0.2.1');
    makeRoom(jobOf('eve', '192.0.2.1'), 'short');
    expect(gaveWay).toEqual([]);
    makeRoom(jobOf('eve', '198.51.100.1'), 'short');
    expect(gaveWay).toEqual(['dan']);
  });

  it('report the owners whose further jobs would have to wait', () => {
    const { begin, fullFor } = openSlots(2);
    expect(fullFor('short')).toEqual([]);
    begin('ann', 'short');
    begin('ann', 'short');
    expect(fullFor('short')).toEqual(['ann']);
    const both = openSlots(2);
    both.begin('ann', 'short');
    both.begin('bob', 'short');
    expect(both.fullFor('short')).toBeNull();
  });

  it('stay with the network that has them if there is only one slot', () => {
    const { begin, makeRoom, fullFor, gaveWay } = openSlots(1);
    begin('ann', 'short', '192.0.2.1');
    makeRoom(jobOf('bob', '192.0.2.2'), 'short');
    expect(gaveWay).toEqual([]);
    expect(fullFor('short')).toBeNull();
  });

  it('are counted for the network of a job without an account, or for the job itself if it has no network', () => {
    const { enter, held } = createSlots({ count: 4, onFree: () => {} });
    for (const id of ['a', 'b']) enter({ id, accountId: null, network: '192.0.2.1' }, 'short', () => {});
    for (const id of ['c', 'd']) enter({ id, accountId: null, network: null }, 'short', () => {});
    expect(held()).toEqual([2, 1, 1]);
  });
});

it('The slots for jobs treat a recording with a large file as a long one', () => {
  expect([laneOf({ bytes: 8_000_000 }), laneOf({ bytes: 8_000_001 })]).toEqual(['short', 'long']);
});
