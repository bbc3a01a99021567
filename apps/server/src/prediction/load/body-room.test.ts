import { expect, it, vi } from 'vitest';
import { HttpProblem } from '../../http/http-problem.ts';
import { announcedBytesOf, openBodyRoom } from './body-room.ts';

const MEGABYTE = 1_000_000;

/** A disk with so much room, and what is taken of it now. */
function disk(roomBytes: number) {
  const state = { taken: 0, most: 0 };
  const take = vi.fn(async (bytes: number) => {
    if (state.taken + bytes > roomBytes) throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: 1 });
    state.taken += bytes;
    state.most = Math.max(state.most, state.taken);
    return () => {
      state.taken -= bytes;
    };
  });
  return { state, take };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

it('takes what is announced as it arrives, a step ahead, and no more', async () => {
  const { state, take } = disk(5 * MEGABYTE);
  const room = await openBodyRoom(2_500_000, take);
  expect(state.taken).toBe(MEGABYTE);
  room.count(MEGABYTE + 1);
  await vi.waitFor(() => expect(state.taken).toBe(2 * MEGABYTE));
  room.count(2_500_000 - MEGABYTE - 1);
  await vi.waitFor(() => expect(state.taken).toBe(2_500_000));
  expect(room.takenBytes).toBe(2_500_000);
  room.release();
  expect(state.taken).toBe(0);
});

it('refuses what finds no room for its first step', async () => {
  const { take } = disk(MEGABYTE / 2);
  await expect(openBodyRoom(6 * MEGABYTE, take)).rejects.toThrow('STORAGE_FULL');
});

it('takes what is not announced as it arrives, until there is no more', async () => {
  const { state, take } = disk(3 * MEGABYTE);
  const room = await openBodyRoom(null, take);
  for (let n = 0; n < 3; n += 1) room.count(MEGABYTE);
  await soon();
  expect([state.taken, room.signal.aborted]).toEqual([3 * MEGABYTE, false]);
  room.count(1);
  await soon();
  expect(room.signal.reason).toMatchObject({ code: 'STORAGE_FULL' });
  room.release();
  expect(state.taken).toBe(0);
});

it('holds little of what has long been written', async () => {
  const { state, take } = disk(20 * MEGABYTE);
  const room = await openBodyRoom(null, take);
  room.count(200 * MEGABYTE);
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(200));
  expect(state.most).toBeLessThan(10 * MEGABYTE);
  room.release();
  expect(state.taken).toBe(0);
});

it('knows a body without a length from none', () => {
  expect(announcedBytesOf({ headers: { 'transfer-encoding': 'chunked' } })).toBeNull();
  expect(announcedBytesOf({ headers: { 'content-length': '12' } })).toBe(12);
  expect(announcedBytesOf({ headers: {} })).toBe(0);
});
