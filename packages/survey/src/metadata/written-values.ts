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

/** `Z`, `UTC`, `+02:00`, `+0200`, `UTC+2` or `-3:30` as minutes; null for an offset of no time zone, such as the counter `-0015`. */
export function offsetMinutesOf(text: string): number | null {
  const found = /^(?:Z|UTC|GMT)?(?:([+-]\d{1,2})(?::?(00|30|45))?)?$/.exec(text);
  if (!found) return null;
  const [, hours = '+0', minutes = '0'] = found;
  const offset = Number(hours) * 60 + Number(hours.charAt(0) + minutes);
  const isNearUtc = Math.abs(offset) < 60 && (offset !== 0 || hours.startsWith('-'));
  return isNearUtc || offset < -12 * 60 || offset > 14 * 60 ? null : offset;
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
  return timeBehind(date, rest);
}

/**
 * A time of day behind a date: `_051200`, `T051200.5000+1000`, ` 05-12-44`, ` at 5.12.44 PM`, ` 오후 5.12.44`, `_051200_-0400`, ` 17h12m44s`,
 * `_051200_UTC+2`, `-birdnet-05:12:00`, `.051244`, `T051244+02-00`. Other scripts than Latin may write the half of the day in front.
 */
const CLOCK = new RegExp(
  [
    '^(?<lead>(?:[_ -]?T|[_$ -]{1,3}|\\.(?=\\d{6}(?!\\d)|\\d\\d(?:\\.\\d\\d){2}(?!\\d))|,? +(?:[\\p{Script=Latin}\\p{Script=Cyrillic}()]{1,9}\\.? +){0,2}|-birdnet-(?:RTSP_\\d+-)?)?(?:(?:[上下]午|午[前後]|오[전후]) *)?)',
    '(?<hour>\\d{1,2})(?<sign>[-_.:h ]?)(?<minute>\\d\\d)(?:(?:\\k<sign>|m)(?<second>\\d\\d)s?)?(?:[.,]\\d{1,9}|_\\d{3,6}|\\d{3})?(?!\\d)',
    // German names may go on with “am”.
    '(?:[\\s_-]*(?<half>[Pμ]\\.?\\s?[Mμ]\\.?(?![\\p{L}\\p{N}])|[Aπ]\\.?\\s?[Mμ]\\.?(?![\\p{L}\\p{N}]|[\\s_-]\\p{L})))?',
    '(?:[ _-]?(?<offset>(?:Z|(?:UTC|GMT)(?:[+-](?!00)\\d{1,2}(?::?\\d\\d)?)?)(?![\\p{L}\\p{N}])|',
    '\\+\\d\\d[-_.h](?:00|30|45)(?![\\p{L}\\p{N}])|(?<=T\\d{6}(?:\\.\\d+)?)-\\d\\d-(?:00|30|45)(?![\\p{L}\\p{N}-])|',
    '[+-]\\d\\d:?\\d\\d(?![\\p{L}\\p{N}]|\\.\\d)|\\+\\d\\d(?![\\p{L}\\p{N}]|[.:-]\\d)|-\\d\\d(?=_|\\s*$)))?',
  ].join(''),
  'iu',
);
/** Behind a time, what may say in another language that it is in the afternoon: `e.m.`, `م`. */
const UNREAD_HALF = /^\s*(?:\p{L}\.\s?\p{L}\.|[^\P{L}\p{Script=Latin}]{1,2}(?!\p{L}))/u;

/** A date, with the time of day that the text behind it begins with. A bare number of four digits is no time: most are counters. */
export function timeBehind(date: string, text: string): WrittenTime {
  const rest = text.normalize();
  const found = CLOCK.exec(rest);
  const { lead = '', hour = '', sign = '', minute, second, half = /[午오]/.exec(lead)?.[0], offset = '' } = found?.groups ?? {};
  const offsetMinutes = offset ? offsetMinutesOf(offset.toUpperCase().replace(/(?<=\d\d)[-_.H](?=\d)/, ':')) : null;
  // Behind other words than *at*, numbers may be anything unless they are written as a clock shows them.
  const isClear =
    !/[\p{L}()]{4}/u.test(lead.replace('birdnet', '')) ||
    (/[.:]/.test(sign) && second !== undefined && (hour.length === 2 || half !== undefined));
  const isSaid = sign.trim() !== '' || half !== undefined;
  const isTime =
    isClear &&
    (hour.length === 2
      ? Boolean(second || isSaid || (offsetMinutes !== null && !/^[+-]\d\d$/.test(offset)) || /T$/i.test(lead))
      : sign.trim() !== '' && Boolean(second || half || /^,? +\p{L}/u.test(lead)));
  const isUnread = half === undefined && sign !== '' && Number(hour) <= 12 && UNREAD_HALF.test(rest.slice(found?.[0].length));
  const isAfternoon = /^[pμ]/i.test(half ?? '') || /[下後후]/.test(lead);
  const hours = half && Number(hour) <= 12 ? (Number(hour) % 12) + (isAfternoon ? 12 : 0) : Number(hour);
  // The end of the day is written as 24:00, too.
  const isMidnight = isTime && hours === 24 && clockTime('00', minute, second) === '00:00:00';
  if (isMidnight) return { ...timeBehind(date, `T000000${offset}`), date: dayAfter(date) };
  const time = isTime && !isUnread ? clockTime(String(hours).padStart(2, '0'), minute, second) : null;
  return { date, time, offsetMinutes: time === null ? null : offsetMinutes };
}

const dayAfter = (date: string): string => new Date(Date.parse(date) + 24 * 3600 * 1000).toISOString().slice(0, 10);

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

const DEGREES = '([+-]?\\d{1,3}(?:[.,]\\d{1,15})?)[\\s,]*°?[\\s,]*';
const POSITION = new RegExp(`^\\s*${DEGREES}([NS])?[\\s,;]*(?<=[\\s,;NS])${DEGREES}([EW])?\\s*$`, 'i');

/** Decimal degrees: `50.8357 12.9292` (GUANO's `Loc Position`), `50.8357,N,12.9292,W` (Wildlife Acoustics), `50,8357° N 12,9292° E`. */
export function placeOfNumbers(text: string): WrittenPlace | null {
  const [, latitude = '', south = '', longitude = '', west = ''] = POSITION.exec(text.slice(0, 64)) ?? [];
  if (longitude === '') return null;
  const degrees = (number: string, letter: string) => Number(number.replace(',', '.')) * (/[SW]/i.test(letter) ? -1 : 1);
  return placeAt(degrees(latitude, south), degrees(longitude, west));
}

/** ISO 6709 in degrees, as phones write it: `+50.8357+012.9292+300.1/`. */
export function placeOfIso6709(text: string): WrittenPlace | null {
  const found = /^([+-]\d{2}(?:\.\d{1,15})?)([+-]\d{3}(?:\.\d{1,15})?)(?![\d.])/.exec(text.slice(0, 64));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}

/** The number in `21.5`, `21,5C`, `-3 °C` or `70 F`, in °C; null for a temperature that no recorder can have been at. */
export function celsiusOf(text: string): number | null {
  const found = /^\s*([+-]?\d{1,3}(?:[.,]\d{1,4})?)\s*(?:°|deg)?\s*(C|F)?/i.exec(text.slice(0, 32));
  const written = Number(found?.[1]?.replace(',', '.') ?? Number.NaN);
  const value = /F/i.test(found?.[2] ?? '') ? Math.round(((written - 32) / 1.8) * 10) / 10 : written;
  return value >= -90 && value <= 100 ? value : null;
}
