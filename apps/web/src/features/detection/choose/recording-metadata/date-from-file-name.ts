import { calendarDate } from './written-date.ts';

/**
 * The date that recorders and phones write into a file's name. Null when there is none, or none that exists.
 *
 * Whole years come from AudioMoth and Song Meter (`SITE_20260501_051200.wav`), phones (`Recording 2026-05-01.m4a`,
 * `Aufnahme 01.05.2026.m4a`) and messengers (`PTT-20260501-WA0001.opus`, the day it arrived); two-digit ones, followed by a time or
 * a number, from Zoom, Sony, Tascam and Samsung (`260501_0512.mp3`).
 */
export function dateFromFileName(name: string): string | null {
  const written = name.slice(0, 300);
  const whole = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(written);
  if (whole) return calendarDate(whole[1], whole[3], whole[4]);
  // With dots, the day comes first everywhere; with other signs nobody knows.
  const dayFirst = /(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)/.exec(written);
  if (dayFirst) return calendarDate(dayFirst[3], dayFirst[2], dayFirst[1]);
  const short = /(?<![\dA-Za-z])(\d\d)(\d\d)(\d\d)[-_]\d{2,6}(?!\d)/.exec(written);
  return short ? calendarDate(`20${short[1]}`, short[2], short[3]) : null;
}
