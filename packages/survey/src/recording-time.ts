import { Temporal } from 'temporal-polyfill';
import type { RecordingMetadata } from './metadata/index.ts';

/** When a recording began: by the clock of its place and, if known, in UTC. */
export interface RecordingTime {
  /** ISO date at the place */
  readonly date: string;
  /** `05:12:44` at the place; null when only the day is known */
  readonly time: string | null;
  /** milliseconds since 1970; null when the clock's UTC offset is unknown */
  readonly epochMs: number | null;
  /** Time zone of `date` and `time`; null when unknown. */
  readonly timeZone: string | null;
}

/** The clocks of a place and of the recorder there. */
export interface Clocks {
  /** of the place: an IANA name or an offset such as `UTC+2` */
  readonly timeZone?: string | undefined;
  /** What the recorder's clock was set to, if not to the place's own time: recorders have no daylight saving. */
  readonly clock?: string | undefined;
}

/** A zone's name in Temporal, where `UTC+5:30` is `+05:30`. Null for an unknown zone. */
export function zoneOf(text: string): string | null {
  const [, sign = '', hours = '', minutes = '00'] = /^(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(text.trim()) ?? [];
  const name = sign === '' ? text.trim() : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    return null;
  }
}

/**
 * When a recording began. The UTC offset that the recorder wrote takes precedence, then the clock that it was set to, then the place's own.
 * A time that occurs twice counts as the first; one that clocks skip counts in the hour after.
 *
 * @returns null when not even the day is known
 */
export function recordingTime(
  { date, time, offsetMinutes }: Pick<RecordingMetadata, 'date' | 'time' | 'offsetMinutes'>,
  { timeZone, clock }: Clocks = {},
): RecordingTime | null {
  if (date === null) return null;
  const there = timeZone === undefined ? null : zoneOf(timeZone);
  if (time === null) return { date: date.value, time, epochMs: null, timeZone: there };
  const written = offsetMinutes === null ? null : offsetText(offsetMinutes);
  const ran = written ?? (clock === undefined ? null : zoneOf(clock)) ?? there;
  if (ran === null) return { date: date.value, time, epochMs: null, timeZone: null };
  const { epochMilliseconds } = Temporal.PlainDateTime.from(`${date.value}T${time}`).toZonedDateTime(ran);
  return atPlace(epochMilliseconds, there ?? ran);
}

/** The time that many seconds into a recording, across changes of the clocks. */
export function timeWithin(began: RecordingTime, seconds: number): RecordingTime {
  const { epochMs, timeZone, date, time } = began;
  if (time === null) return began;
  if (epochMs !== null && timeZone !== null) return atPlace(epochMs + seconds * 1000, timeZone);
  const moment = Temporal.PlainDateTime.from(`${date}T${time}`).add({ milliseconds: Math.round(seconds * 1000) });
  return { ...began, date: moment.toPlainDate().toString(), time: wholeSeconds(moment.toPlainTime()) };
}

/** `2026-05-01T03:12:44Z`; empty when unknown. */
export function utcText({ epochMs }: Pick<RecordingTime, 'epochMs'>): string {
  return epochMs === null ? '' : `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

function atPlace(epochMs: number, timeZone: string): RecordingTime {
  const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(timeZone);
  return { date: moment.toPlainDate().toString(), time: wholeSeconds(moment.toPlainTime()), epochMs, timeZone };
}

const wholeSeconds = (time: Temporal.PlainTime): string => time.toString({ smallestUnit: 'second' });

/** `+02:00`, which is also a zone's name. */
export function offsetText(offsetMinutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const ahead = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}
