import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arrivalPace, paceOfPieces, watchPace } from './arrival-pace.ts';

const MEGABYTE = 1_000_000;
const minute = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request whose body is still to come; null is for one of unknown length. */
const requestOf = (announcedBytes: number | null) =>
  Object.assign(new EventEmitter(), {
    complete: false,
    headers: announcedBytes === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(announcedBytes) },
  });

/** Sends at this pace. @returns after how many minutes it was refused as too slow; null when all of it arrived */
function minutesUntilRefused(
  announcedBytes: number | null,
  bytesPerSecond: number,
  pace = arrivalPace,
  bytes = announcedBytes ?? 0,
) {
  const onTooSlow = vi.fn();
  const request = requestOf(announcedBytes);
  using _watched = watchPace(request, pace, () => {}, onTooSlow);
  let seconds = 0;
  for (let sent = 0; sent < bytes && onTooSlow.mock.calls.length === 0; sent += bytesPerSecond) {
    request.emit('data', { length: bytesPerSecond });
    vi.advanceTimersByTime(1000);
    seconds += 1;
  }
  request.complete = true;
  vi.advanceTimersByTime(minute);
  return onTooSlow.mock.calls.length > 0 ? seconds / 60 : null;
}

describe('The required pace at which a request body arrives', () => {
  it.each([
    ['10 MB from a phone on a bad connection', 10 * MEGABYTE, 17_000],
    ['1 MB at a still slower pace', MEGABYTE, 2_500],
    ['an hour of audio on a slow line at home', 600 * MEGABYTE, 65_000],
    ['a body that has arrived before the first check', 100, 100],
  ])('admits %s', (_what, bytes, bytesPerSecond) => {
    expect(minutesUntilRefused(bytes, bytesPerSecond)).toBeNull();
  });

  it.each([
    ['no bytes at all', MEGABYTE, 0.001],
    ['2.3 kB/s of what is announced as 2 GB', 2000 * MEGABYTE, 2300],
    ['60 kB/s of what is announced as 2 GB', 2000 * MEGABYTE, 60_000],
    ['10 kB/s of 10 MB', 10 * MEGABYTE, 10_000],
  ])('ends a body that sends %s', (_what, bytes, bytesPerSecond) => {
    const minutes = minutesUntilRefused(bytes, bytesPerSecond);
    expect(minutes).toBeGreaterThan(0);
    expect(minutes).toBeLessThan(20);
  });

  it('lets a body send few bytes for a minute if it makes up for that afterwards', () => {
    const onTooSlow = vi.fn();
    const request = requestOf(10 * MEGABYTE);
    using _watched = watchPace(request, arrivalPace, () => {}, onTooSlow);
    for (let n = 0; n < 2; n += 1) {
      request.emit('data', { length: 70_000 });
      vi.advanceTimersByTime(30_000);
    }
    request.emit('data', { length: 500_000 });
    vi.advanceTimersByTime(30_000);
    expect(onTooSlow).not.toHaveBeenCalled();
  });

  it('for a body of unknown length is first that of a small recording, and rises with the size that has arrived', () => {
    expect(minutesUntilRefused(null, 17_000, arrivalPace, 10 * MEGABYTE)).toBeNull();
    expect(minutesUntilRefused(null, 17_000, arrivalPace, 2000 * MEGABYTE)).toBeGreaterThan(10);
    expect(minutesUntilRefused(null, 10_000, arrivalPace, 10 * MEGABYTE)).not.toBeNull();
  });

  it('for a piece of an upload is that of a small recording, because the pieces that have arrived are kept', () => {
    expect(minutesUntilRefused(33 * MEGABYTE, 17_000, paceOfPieces(arrivalPace))).toBeNull();
    expect(minutesUntilRefused(33 * MEGABYTE, 17_000)).not.toBeNull();
  });
});
