/** Recorders whose clock was never set begin at 1970 or 1980. */
const firstBelievedYear = 1981;

/** An ISO date from its parts; null when there is no such day, or no clock that was set would have written it. */
export function calendarDate(year = '', month = '', day = ''): string | null {
  const date = `${year}-${month}-${day}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date;
  return exists && Number(year) >= firstBelievedYear ? date : null;
}

/**
 * The date at the beginning of a text such as `2026-05-01T05:12:44+02:00`, `2026:05:01` or `20260501`: as the recorder's own clock
 * showed it. A year or a month alone is no date.
 */
export function writtenDate(text: string): string | null {
  const found = /^\s*(\d{4})([-:/_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(text.slice(0, 64));
  return found ? calendarDate(found[1], found[3], found[4]) : null;
}
