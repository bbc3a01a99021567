/** Recorders whose clock was never set begin at 1970 or 1980. */
const FIRST_BELIEVED_YEAR = 1981;

/** An ISO date from its parts; null when there is no such day, or no clock that was set would have written it. */
export function calendarDate(year = '', month = '', day = ''): string | null {
  const date = `${year}-${month}-${day}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date;
  return exists && Number(year) >= FIRST_BELIEVED_YEAR ? date : null;
}

/** The date at the beginning of `2026-05-01T05:12:44+02:00`, `2026:05:01` or `20260501`, by the recorder's clock; no year or month alone. */
export function writtenDate(text: string): string | null {
  const found = /^\s*(\d{4})([-:/_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(text.slice(0, 64));
  return found ? calendarDate(found[1], found[3], found[4]) : null;
}

/**
 * The date that recorders and phones write into a file's name: AudioMoth and Song Meter (`SITE_20260501_051200.wav`), phones
 * (`Recording 2026-05-01.m4a`, `Aufnahme 01.05.2026.m4a`), messengers (`PTT-20260501-WA0001.opus`), Zoom, Sony (`260501_0512.mp3`).
 */
export function dateFromFileName(name: string): string | null {
  const written = name.slice(0, 300);
  const whole = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(written);
  if (whole) return calendarDate(whole[1], whole[3], whole[4]);
  // With dots, the day comes first everywhere; with other signs that is not known.
  const dayFirst = /(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)/.exec(written);
  if (dayFirst) return calendarDate(dayFirst[3], dayFirst[2], dayFirst[1]);
  const short = /(?<![\dA-Za-z])(\d\d)(\d\d)(\d\d)[-_]\d{2,6}(?!\d)/.exec(written);
  return short ? calendarDate(`20${short[1]}`, short[2], short[3]) : null;
}

/** degrees */
export interface WrittenPlace {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null where there is no such place; 0, 0 is what receivers without a fix write. */
function placeAt(latitude: number, longitude: number): WrittenPlace | null {
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
