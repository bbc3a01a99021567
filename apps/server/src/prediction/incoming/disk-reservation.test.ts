import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { HttpProblem } from '../../http/http-problem.ts';
import { announcedBytesOf, openDiskReservation } from './disk-reservation.ts';

const MEGABYTE = 1_000_000;

/** A disk with this much room, and how much of it is taken. */
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
  const reservation = await openDiskReservation(2_500_000, take);
  expect(state.taken).toBe(MEGABYTE);
  reservation.count(MEGABYTE + 1);
  await eventually(() => expect(state.taken).toBe(2 * MEGABYTE));
  reservation.count(2_500_000 - MEGABYTE - 1);
  await eventually(() => expect(state.taken).toBe(2_500_000));
  expect(reservation.takenBytes).toBe(2_500_000);
  reservation.release();
  expect(state.taken).toBe(0);
});

it('refuses what finds no room for its first step', async () => {
  const { take } = disk(MEGABYTE / 2);
  await expect(openDiskReservation(6 * MEGABYTE, take)).rejects.toThrow('STORAGE_FULL');
});

it('takes what is not announced as it arrives, until there is no more', async () => {
  const { state, take } = disk(3 * MEGABYTE);
  const reservation = await openDiskReservation(null, take);
  for (let n = 0; n < 3; n += 1) reservation.count(MEGABYTE);
  await soon();
  expect([state.taken, reservation.signal.aborted]).toEqual([3 * MEGABYTE, false]);
  reservation.count(1);
  await soon();
  expect(reservation.signal.reason).toMatchObject({ code: 'STORAGE_FULL' });
  reservation.release();
  expect(state.taken).toBe(0);
});

it('holds little of what has long been written', async () => {
  const { state, take } = disk(20 * MEGABYTE);
  const reservation = await openDiskReservation(null, take);
  reservation.count(200 * MEGABYTE);
  await eventually(() => expect(take).toHaveBeenCalledTimes(200));
  expect(state.most).toBeLessThan(10 * MEGABYTE);
  reservation.release();
  expect(state.taken).toBe(0);
});

it('knows a body without a length from none', () => {
  expect(announcedBytesOf({ headers: { 'transfer-encoding': 'chunked' } })).toBeNull();
  expect(announcedBytesOf({ headers: { 'content-length': '12' } })).toBe(12);
  expect(announcedBytesOf({ headers: {} })).toBe(0);
});
