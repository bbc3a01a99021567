/** Recorders whose clock was never set start at 1970 or 1980. */
const FIRST_BELIEVED_YEAR = 1981;

/** An ISO date from its parts; null when there is no such day, or the clock cannot have been set. */
export function calendarDate(year = '', month = '', day = ''): string | null {
  const date = `${year}-${month}-${day}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date;
  return exists && Number(year) >= FIRST_BELIEVED_YEAR ? date : null;
}

/** A time as a recorder wrote it, by its own clock. */
export interface WrittenTime {
  /** ISO date */
  readonly date: string;
  /** `05:12:44`; null when only a day was written */
  readonly time: string | null;
  /** minutes that the clock is ahead of UTC; null when not written */
  readonly offsetMinutes: number | null;
}

/** `05:12:44` from its parts; null when there is no such time. */
export function clockTime(hour = '', minute = '', second = '00'): string | null {
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && hour !== '' ? `${hour}:${minute}:${second}` : null;
}

/** `Z`, `+02:00`, `+0200`, `+2` or `-3:30` as minutes; null for an offset that no time zone has ever had. */
export function offsetMinutesOf(text: string): number | null {
  if (text === 'Z') return 0;
  const found = /^([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(text);
  const [hours, minutes] = [Number(found?.[2] ?? 99), Number(found?.[3] ?? 0)];
  if (hours > 14 || minutes % 15 !== 0 || minutes > 45) return null;
  const offset = hours * 60 + minutes;
  return found?.[1] === '-' && offset > 0 ? -offset : offset;
}

/**
 * The time at the beginning of `2026-05-01T05:12:44+02:00`, `2026:05:01` or `20260501`; not a year or month alone. Ignores text after the
 * date that is not a time.
 */
export function writtenTime(text: string): WrittenTime | null {
  const written = text.slice(0, 64);
  const found = /^\s*(\d{4})([-:/_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(written);
  const date = found ? calendarDate(found[1], found[3], found[4]) : null;
  if (found === null || date === null) return null;
  const rest = written.slice(found[0].length);
  const clock = /^[T ]\s*(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d{1,9})?\s*(Z|[+-]\d\d:?(?:\d\d)?)?/.exec(rest);
  const time = clock ? clockTime(clock[1], clock[2], clock[3]) : null;
  return { date, time, offsetMinutes: time !== null && clock?.[4] ? offsetMinutesOf(clock[4]) : null };
}

/** degrees */
export interface WrittenPlace {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null for a place that does not exist; 0, 0 is what receivers without a fix write. */
export function placeAt(latitude: number, longitude: number): WrittenPlace | null {
  const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0);
  return exists ? { latitude, longitude } : null;
}

/** GUANO's `Loc Position`: two decimal numbers. */
export function placeOfNumbers(text: string): WrittenPlace | null {
  const found = /^\s*([+-]?\d{1,3}(?:\.\d{1,15})?)[\s,]+([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/.exec(text.slice(0, 64));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}

/** ISO 6709 in degrees, as phones write it: `+50.8357+012.9292+300.1/`. */
export function placeOfIso6709(text: string): WrittenPlace | null {
  const found = /^([+-]\d{2}(?:\.\d{1,15})?)([+-]\d{3}(?:\.\d{1,15})?)(?![\d.])/.exec(text.slice(0, 64));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}

/** The number in `21.5`, `21.5C` or `-3 °C`; null for a temperature that no recorder can have been at. */
export function celsiusOf(text: string): number | null {
  const found = /^\s*([+-]?\d{1,3}(?:\.\d{1,4})?)\s*°?\s*C?\s*$/i.exec(text.slice(0, 32));
  const value = Number(found?.[1] ?? Number.NaN);
  return value >= -90 && value <= 100 ? value : null;
}
