/** Whole percent: more digits would claim a precision that was not measured. */
export const formatPercent = (share: number, language: string): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(share);

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `2.1 MB`. 1 GB is 1024 MB, as in file managers and upload limits. */
export function formatBytes(bytes: number, language: string): string {
  const step = bytes < 1 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const maximumFractionDigits = step < 2 ? 0 : 1;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: sizeUnits[step] ?? 'byte',
    // Bytes have no symbol, and their short form has no plural.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits,
  }).format(bytes / 1024 ** step);
}

/** A duration with its unit: `0.5 seconds`, `12 minutes`, `3 hours`. */
export function formatDuration(seconds: number, language: string): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(value);
}

/** A length in two symbols that are the same in every language: `3 h 20 min`, `1 min 35 s`, `45 s`. */
export function lengthLabel(seconds: number): string {
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  const rest = whole % 60;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

export const formatList = (
  items: readonly string[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string => new Intl.ListFormat(language, { type }).format(items);

/** As `formatList`, for items that are not text. */
export const listOf = <Item>(
  items: readonly Item[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): readonly (Item | string)[] =>
  new Intl.ListFormat(language, { type })
    .formatToParts(items.map((_, index) => String(index)))
    .map(({ type, value }) => (type === 'element' ? (items[Number(value)] ?? value) : value));

/** The browser's variety of the interface language, if it has one: British and American people write dates and name birds differently. */
export const dateLocale = (language: string, browser: readonly string[] = navigator.languages): string =>
  browser.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;

/** An instant by the device's clock, or a date alone, which is the same in every time zone. @param at in ISO format */
export function formatDate(
  at: string,
  language: string,
  shape: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  const timeZone = at.includes('T') ? undefined : 'UTC';
  return new Intl.DateTimeFormat(dateLocale(language), { ...shape, timeZone }).format(new Date(at));
}

/** Date and time by the device's clock: `2026-05-01T05:12:44`. */
export const localTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/**
 * A position in a recording: `0:03.2`, `12:05`, `1:02:05`.
 *
 * @param withHours always write hours, `0:12:05`, as next to labels that have some
 */
export function timeLabel(seconds: number, decimals = 0, withHours = false): string {
  const rounded = Number(seconds.toFixed(decimals));
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor((rounded % 3600) / 60);
  const rest = (rounded % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, '0');
  return hours > 0 || withHours ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** `52.2, 0.12`; where decimals have a comma, `52,2; 0,12`. */
export function formatDegrees(
  { latitude, longitude }: { readonly latitude: number; readonly longitude: number },
  language: string,
  maximumFractionDigits: number,
): string {
  const degrees = new Intl.NumberFormat(language, { maximumFractionDigits });
  return [latitude, longitude].map(degrees.format).join(language.startsWith('en') ? ', ' : '; ');
}

/** A part of a recording, measured from its start. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}
