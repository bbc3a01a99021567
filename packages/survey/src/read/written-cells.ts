/** What the cells of tables mean, however a spreadsheet, R or pandas writes them. Null, or NaN for numbers, is what is not understood. */

/** R, pandas and spreadsheets write these for a missing value. */
export const isMissing = (text: string): boolean => /^(|NA|<NA>|N\/A|#N\/A|NaN|nan|NULL|null|None)$/.test(text);

/** Whether one of day and month comes first in dates such as 01/05/2026; null when unknown. */
export type DayOrder = 'dayFirst' | 'monthFirst' | null;

/** The Boolean values of spreadsheets in the languages of this project's users, of R, pandas and people. */
const TRUE = /^(true|t|yes|y|1|1[.,]0|wahr|ja|vrai|oui|verdadero|verdadeiro|vero|waar|prawda|sant|sand|sann)$/i;
const FALSE = /^(false|f|no|n|0|0[.,]0|falsch|nein|faux|non|falso|onwaar|fałsz|falskt|falsk|usann)$/i;

export function booleanIn(text: string): boolean | null {
  return TRUE.test(text) || (FALSE.test(text) ? false : null);
}

/** The sign before decimals. */
export type DecimalSign = '.' | ',';
export const DECIMAL_SIGNS = ['.', ','] as const;

/** Thousands, apart by the sign that is not decimal, or by a blank or an apostrophe. */
const GROUPED = {
  '.': /^([-+]?[1-9]\d{0,2})((?:[,'’\s]\d{3})+)(?!\d)/,
  ',': /^([-+]?[1-9]\d{0,2})((?:[.'’\s]\d{3})+)(?!\d)/,
} as const;

/** The number that a cell is if `sign` is decimal. */
export function numberIn(text: string, sign: DecimalSign): number {
  const whole = text.replace(GROUPED[sign], (_, first: string, groups: string) => first + groups.replace(/\D/g, ''));
  const plain = sign === '.' ? whole : whole.replace(/[.,]/g, (found) => (found === ',' ? '.' : ','));
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(plain) ? Number(plain) : Number.NaN;
}

/**
 * The decimal sign that a number shows; `unknown` when it is another number with either, such as 3.600, null when that does not matter.
 *
 * @param most the number is not larger
 */
export function decimalSignOf(text: string, most = Number.POSITIVE_INFINITY): DecimalSign | 'unknown' | null {
  if (!/[.,]/.test(text)) return null;
  const [first, ...more] = DECIMAL_SIGNS.filter((sign) => Math.abs(numberIn(text, sign)) <= most);
  return more.length > 0 ? 'unknown' : (first ?? null);
}

/** Day, month and year with slashes or hyphens, in an order that the date itself does not tell. */
const SLASHED = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)/;

/** The order that a date shows; `unknown` when it could have either, null when that does not matter. */
export function dayOrderOf(text: string): Exclude<DayOrder, null> | 'unknown' | null {
  const [, first = '', , second = ''] = SLASHED.exec(text) ?? [];
  if (Number(first) === Number(second)) return null;
  if (Number(first) > 12) return 'dayFirst';
  return Number(second) > 12 ? 'monthFirst' : 'unknown';
}

/** @returns an ISO date */
export function dayIn(text: string, order: DayOrder): string | null {
  const day = text.replace(/[T ]0{1,2}:00(:00(\.0+)?)?(Z|\+00:?00)?$/, '');
  const [, year, month, date] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?$/.exec(day) ?? [];
  if (year) return isoDay(year, month, date);
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(day);
  if (dotted) return isoDay(dotted[3], dotted[2], dotted[1]);
  const [slashed = '', first, , second, last] = SLASHED.exec(day) ?? [];
  if (slashed !== day || (order === null && dayOrderOf(day) !== null)) return null;
  return order === 'monthFirst' ? isoDay(last, first, second) : isoDay(last, second, first);
}

function isoDay(year = '', month = '', day = ''): string | null {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return exists ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : null;
}

/** @returns `05:12:44` */
export function timeIn(text: string): string | null {
  const [, hour = '', minute = '', second = '00', half = ''] =
    /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: ?([ap])\.?m\.?)?$/i.exec(text) ?? [];
  const isHalf = half !== '';
  if (minute === '' || Number(minute) > 59 || Number(second) > 59 || Number(hour) > (isHalf ? 12 : 23)) return null;
  if (isHalf && Number(hour) === 0) return null;
  const hours = isHalf ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour);
  return `${String(hours).padStart(2, '0')}:${minute}:${second}`;
}

/** Day and time, in UTC unless an offset is written. @returns milliseconds since 1970 */
export function instantIn(text: string, order: DayOrder): number | null {
  const [, day = '', time = '', zone = ''] = /^(\S+?)(?:T|,? )(\d.*?)( ?UTC| ?Z|[-+]\d\d:?\d\d)?$/.exec(text) ?? [];
  const [date, clock] = [dayIn(day, order), timeIn(time)];
  if (date === null || clock === null) return null;
  const offset = /^[-+]/.test(zone) ? zone.replace(/(\d\d):?(\d\d)/, '$1:$2') : 'Z';
  const at = Date.parse(`${date}T${clock}${offset}`);
  return Number.isNaN(at) ? null : at;
}

/** A path with `/` between its parts: `surv\B\x.wav` is `surv/B/x.wav`. Elsewhere than on Windows, names may have a backslash. */
export const pathIn = (text: string): string =>
  /^[a-z]:|^\\\\/i.test(text) || !text.includes('/') ? text.replaceAll('\\', '/') : text;
