import { calendarDate, placeAt, placeOfNumbers, timeBehind, type WrittenPlace, type WrittenTime } from './written-values.ts';

const LONGEST = 300;

/** Downloaded files may keep the escapes of their address: `%5B` for `[`. */
function unescaped(path: string): string {
  try {
    return /%[\da-f]{2}/i.test(path) ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}

/** The part of a path after the last slash. Some BAR-LTs write spaces for zeros in the time: `201906 7T 95935`. */
const nameOf = (path: string): string =>
  (unescaped(path).split(/[/\\]/).at(-1) ?? '')
    .slice(0, LONGEST)
    .replace(/(?<!\d)(?:19|20)[\d ]{6}T[\d ]{6}/, (time) => time.replaceAll(' ', '0'));

/**
 * The first AudioMoths named a file by the seconds since 1970, in UTC, as eight hexadecimal digits: `5E90A4D4.WAV`. Only years since they
 * were built count: `20260501.WAV` is a day. Digits alone are also numbers of other programs, unless the name is as the recorder wrote it.
 */
function hexTime(name: string): WrittenTime | null {
  const [, digits = '', ending = ''] = /^([\dA-F]{8})T?\.(wav|flac)$/i.exec(name) ?? [];
  const seconds = /[A-F]/i.test(digits) || ending === 'WAV' ? Number.parseInt(digits, 16) : 0;
  if (!(seconds >= Date.UTC(2016, 0) / 1000 && seconds < 2 ** 31)) return null;
  const [date = '', time = ''] = new Date(seconds * 1000).toISOString().split(/[T.]/);
  return { date, time, offsetMinutes: 0 };
}

/** How names state a day, the surest first. What follows is read by `timeBehind`. */
const DAYS: readonly RegExp[] = [
  // SoundTrap, behind its number: `671629352.181204100002.wav`.
  /(?<=(?:^|[_-])\d{4,}\.)(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)(?=\d{6}(?!\d))/g,
  // AudioMoth, Song Meter, Swift (`SITE_20260501_051200.wav`), BAR-LT (`20260501T051200+1000_REC.flac`), phones (`Recording 2026-05-01.m4a`),
  // messengers (`PTT-20260501-WA0001.opus`), BirdNET-Pi (`2026-05-01-birdnet-05:12:00.wav`); also without a gap (`20260501051200.wav`).
  /(?<!\d)(?<year>(?:19|20)\d\d)(?<sign>[-_.]?)(?<month>\d\d)\k<sign>(?<day>\d\d)(?!\d(?!\d{5}(?:\d{3})?(?!\d)))/g,
  // With dots, the day comes first everywhere (`Aufnahme 01.05.2026.m4a`); with other separators, the order is unknown.
  /(?<!\d)(?<day>\d\d)\.(?<month>\d\d)\.(?<year>(?:19|20)\d\d)(?!\d)/g,
  // Zoom, Tascam, Sony: `260501_0001.wav`.
  /(?<![\dA-Za-z])(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)(?=[-_]\d{2,6}(?!\d))/g,
];

/** The first day in a name that has a time of day, else the first day; with what precedes it. */
function dayIn(name: string): { readonly time: WrittenTime; readonly prefix: string } | null {
  for (const days of DAYS) {
    const found = [...name.matchAll(days)].flatMap(({ 0: text, index, groups: { year = '', month = '', day = '' } = {} }) => {
      const date = calendarDate(year.padStart(4, '20'), month, day);
      const rest = name.slice(index + text.length);
      const time = date === null ? null : timeBehind(date, rest);
      // A number that goes on and holds no time is something else.
      return time === null || (time.time === null && /^\d/.test(rest)) ? [] : [{ time, prefix: name.slice(0, index) }];
    });
    const [first] = found;
    if (first) return found.find(({ time }) => time.time !== null) ?? first;
  }
  return null;
}

/** When a recording began, according to the names that recorders and phones give. */
export function timeFromFileName(path: string): WrittenTime | null {
  const name = nameOf(path);
  return hexTime(name) ?? dayIn(name)?.time ?? null;
}

/**
 * `…_REC [-27.3866 152.8761].flac`, also in other brackets; Windows programs write `_` for one. Numbers with one decimal may be anything
 * unless they are in square brackets or have a sign.
 */
const IN_BRACKETS =
  /(?<![\p{L}\p{N}])(?:\[(?=\D*\d+\.\d)|[({](?=[+-]|[^\d]*\d+\.\d\d))(?<place>[^[\](){}]*\d\.\d[^[\](){}]*\d\.\d[^[\](){}]*)[\])}]/u;
const PLACES: readonly RegExp[] = [
  /_([+-]?\d{1,2}\.\d{2,10}),? ([+-]?\d{1,3}\.\d{2,10})_/,
  // `…_-27.3912+152.7321.flac`, `…[+44.72053-062.80072].wav`, whole degrees, and with a height: `_+40.1213-075.0015+2.79CRSWGS_84`.
  /[[({_]([+-](?:\d{1,2}\.\d{2,10}|\d\d(?:\.\d)?))([+-](?:\d{1,3}\.\d{2,10}|\d{3}(?!\.\d\d)(?:\.\d)?))(?:[+-]\d+(?:\.\d+)?)?(?=[\])}_.C]|$)/,
];

/** The place that a BAR-LT writes into a name. */
export function placeFromFileName(path: string): WrittenPlace | null {
  const name = nameOf(path);
  const inBrackets = placeOfNumbers(IN_BRACKETS.exec(name)?.groups?.place?.replaceAll('_', ' ') ?? '');
  const found = PLACES.map((place) => place.exec(name)).find((place) => place !== null);
  return inBrackets ?? (found ? placeAt(Number(found[1]), Number(found[2])) : null);
}

/**
 * What precedes the date: a Song Meter's prefix, an AudioMoth's or Swift's number. Channels that older Song Meters add
 * (`SITE_0+1_20260501_…`, `SITE__0__20260501_…`) are left out.
 */
export function recorderFromFileName(path: string): string | null {
  const prefix =
    dayIn(nameOf(path))
      ?.prefix.replace(/_(?:0\+1|_[01]_|[01])?_?$|\.$/, '')
      .trim() ?? '';
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(prefix) ? prefix : null;
}
