import { describe, expect, it } from 'vitest';
import { recordingTime, timeWithin, utcText, zoneOf } from './recording-time.ts';

const written = (date: string, time: string | null, offsetMinutes: number | null = null) => ({
  date: { value: date, from: 'name' as const },
  time,
  offsetMinutes,
});

describe('The time at which a recording began', () => {
  it('is given in UTC and by the local clock, in summer and winter', () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    expect(utcText(recordingTime(written('2026-07-01', '05:12:44'), berlin) ?? { epochMs: null })).toBe('2026-07-01T03:12:44Z');
    expect(utcText(recordingTime(written('2026-01-01', '05:12:44'), berlin) ?? { epochMs: null })).toBe('2026-01-01T04:12:44Z');
    // The recorder was set to UTC, as AudioMoths are, so the day at the place is another one.
    expect(recordingTime(written('2026-06-30', '23:30:00'), { ...berlin, clock: 'UTC' })).toMatchObject({
      date: '2026-07-01',
      time: '01:30:00',
    });
    // A recorder that was deployed in winter keeps winter time.
    expect(recordingTime(written('2026-07-01', '05:00:00'), { ...berlin, clock: 'UTC+1' })).toMatchObject({ time: '06:00:00' });
    // A UTC offset that the recorder wrote takes precedence.
    expect(recordingTime(written('2026-07-01', '05:00:00', 600), { timeZone: 'Australia/Adelaide', clock: 'UTC' })).toMatchObject(
      {
        time: '04:30:00',
      },
    );
  });

  it('is the first of two possible ones when clocks go back, and is also given within an hour skipped when clocks go forward', () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    const utc = (date: string, time: string) => utcText(recordingTime(written(date, time), berlin) ?? { epochMs: null });
    expect(utc('2026-10-25', '02:30:00')).toBe('2026-10-25T00:30:00Z');
    expect(utc('2026-03-29', '02:30:00')).toBe('2026-03-29T01:30:00Z');
  });

  it('has no UTC without a time zone, no time of day if only the day is stated, and is null without a day', () => {
    expect(recordingTime({ date: null, time: null, offsetMinutes: null })).toBeNull();
    expect(recordingTime(written('2026-07-01', null), { timeZone: 'Europe/Berlin' })).toMatchObject({
      time: null,
      epochMs: null,
    });
    const began = recordingTime(written('2026-07-01', '23:59:00'));
    expect(began).toEqual({ date: '2026-07-01', time: '23:59:00', epochMs: null, timeZone: null });
    expect(began && timeWithin(began, 90)).toMatchObject({ date: '2026-07-02', time: '00:00:30' });
    expect(utcText({ epochMs: null })).toBe('');
  });

  it('leads to the right local time for a later moment, even if clocks change within the recording', () => {
    const began = recordingTime(written('2026-03-29', '01:30:00'), { timeZone: 'Europe/Berlin' });
    expect(began && timeWithin(began, 3600)).toMatchObject({ date: '2026-03-29', time: '03:30:00' });
  });
});

it('A time zone (`zoneOf`) is accepted by name or distance from UTC, which becomes +HH:MM; any other text gives null', () => {
  expect(['Europe/Berlin', 'UTC', 'UTC+2', 'GMT-3:30', '+05:45', 'Mars/Olympus', ''].map(zoneOf)).toEqual([
    'Europe/Berlin',
    'UTC',
    '+02:00',
    '-03:30',
    '+05:45',
    null,
    null,
  ]);
});
