import { calendarDate, clockTime, offsetMinutesOf, placeAt, type WrittenPlace, type WrittenTime } from './written-values.ts';

const LONGEST = 300;

/** The part of a path after the last slash. */
const nameOf = (path: string): string => (path.split(/[/\\]/).at(-1) ?? '').slice(0, LONGEST);

/**
 * The first AudioMoths named a file by the seconds since 1970, in UTC, as eight hexadecimal digits: `5E90A4D4.WAV`. Only years since they
 * were built count: `20260501.WAV` is a day.
 */
function hexTime(name: string): WrittenTime | null {
  const found = /^([0-9A-F]{8})T?\.WAV$/.exec(name);
  const seconds = Number.parseInt(found?.[1] ?? '', 16);
  if (!(seconds >= Date.UTC(2016, 0) / 1000 && seconds < 2 ** 31)) return null;
  const [date = '', time = ''] = new Date(seconds * 1000).toISOString().split(/[T.]/);
  return { date, time, offsetMinutes: 0 };
}

const DATE = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/;
/** After a date: `_051200`, `T051200+1000`, ` 05-12-44`, `_051200_-0400`, `T051200.0000+1000`. */
const CLOCK =
  /^(?:[_T-]| +(?:at )?)(\d\d)([-_.:h]?)(\d\d)(?:\2(\d\d))?(?:[._]\d{3,4})?(?!\d)(?:_?(Z|[+-]\d{2}:?\d{2})(?!\d|\.\d))?/;

/**
 * When a recording began, according to the names that recorders and phones give: AudioMoth, Song Meter and Swift
 * (`SITE_20260501_051200.wav`), BAR-LT (`20260501T051200+1000_REC.flac`), phones (`Recording 2026-05-01.m4a`, `Aufnahme 01.05.2026.m4a`),
 * messengers (`PTT-20260501-WA0001.opus`), Zoom, Sony (`260501_0512.mp3`).
 */
export function timeFromFileName(path: string): WrittenTime | null {
  const name = nameOf(path);
  const hex = hexTime(name);
  if (hex) return hex;
  const whole = DATE.exec(name);
  if (whole) {
    const date = calendarDate(whole[1], whole[3], whole[4]);
    return date === null ? null : { date, ...clockBehind(name.slice(whole.index + whole[0].length)) };
  }
  // With dots, the day comes first everywhere; with other separators, the order is unknown.
  const dayFirst = /(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)/.exec(name);
  if (dayFirst) {
    const date = calendarDate(dayFirst[3], dayFirst[2], dayFirst[1]);
    return date === null ? null : { date, time: null, offsetMinutes: null };
  }
  const short = /(?<![\dA-Za-z])(\d\d)(\d\d)(\d\d)[-_](\d{2,6})(?!\d)/.exec(name);
  const date = short ? calendarDate(`20${short[1]}`, short[2], short[3]) : null;
  if (!short || !date) return null;
  const [, hour, minute, second] = /^(\d\d)(\d\d)(\d\d)?$/.exec(short[4] ?? '') ?? [];
  return { date, time: hour === undefined ? null : clockTime(hour, minute, second), offsetMinutes: null };
}

function clockBehind(rest: string): Pick<WrittenTime, 'time' | 'offsetMinutes'> {
  const found = CLOCK.exec(rest);
  const time = found ? clockTime(found[1], found[3], found[4]) : null;
  return { time, offsetMinutes: time !== null && found?.[5] ? offsetMinutesOf(found[5]) : null };
}

/** Place of a BAR-LT: `…_REC [-27.3866 152.8761].flac`, `…_-27.3912+152.7321.flac`. */
export function placeFromFileName(path: string): WrittenPlace | null {
  const found =
    /\[([+-]?\d{1,2}\.\d{2,10}) ([+-]?\d{1,3}\.\d{2,10})\]/.exec(nameOf(path)) ??
    /_([+-]\d{1,2}\.\d{2,10})([+-]\d{1,3}\.\d{2,10})(?=[._]|$)/.exec(nameOf(path));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}

/**
 * What precedes the date: a Song Meter's prefix, an AudioMoth's or Swift's number. Channels that older Song Meters add
 * (`SITE_0+1_20260501_…`, `SITE__0__20260501_…`) are left out.
 */
export function recorderFromFileName(path: string): string | null {
  const name = nameOf(path);
  const date = DATE.exec(name);
  const prefix = name.slice(0, date?.index ?? 0).replace(/_(?:0\+1|_[01]_|[01])?_?$/, '');
  return date && /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(prefix) ? prefix : null;
}
