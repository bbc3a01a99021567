import type { LocatedFile } from '../read/listed-detection.ts';

/** When something happened, as stated in a table; null where it states nothing. */
export interface TableMoment {
  /** ISO date at the place */
  readonly date: string | null;
  /** `05:12:44` at the place */
  readonly time: string | null;
  /** milliseconds since 1970 */
  readonly epochMs: number | null;
  /** how far the place's clock was ahead of UTC; null, too, where day, time and UTC do not fit */
  readonly offsetMinutes: number | null;
}

/** Clocks of the world differ from UTC by quarters of an hour. */
const QUARTER_MINUTES = 15;

/** Spreadsheets leave out seconds of the time or of UTC, so offsets are only known to the minute. */
export function momentOf({ date, time, epochMs }: Pick<LocatedFile, 'date' | 'time' | 'epochMs'>): TableMoment {
  const local = Date.parse(`${date}T${time}Z`);
  const minutes = (local - (epochMs ?? Number.NaN)) / 60_000;
  const offsetMinutes = Math.round(minutes / QUARTER_MINUTES) * QUARTER_MINUTES;
  const isKnown = Math.abs(minutes - offsetMinutes) <= 1;
  return { date: date || null, time: (date && time) || null, epochMs, offsetMinutes: isKnown ? offsetMinutes : null };
}
