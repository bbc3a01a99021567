import type { LocatedFile } from '../read/listed-detection.ts';

/** When something happened, as stated in a table; null where it states nothing. */
export interface TableMoment {
  /** ISO date at the place */
  readonly date: string | null;
  /** `05:12:44` at the place */
  readonly time: string | null;
  /** milliseconds since 1970 */
  readonly epochMs: number | null;
  /** how far the place's clock was ahead of UTC */
  readonly offsetMinutes: number | null;
}

export function momentOf({ date, time, epochMs }: Pick<LocatedFile, 'date' | 'time' | 'epochMs'>): TableMoment {
  const local = Date.parse(`${date}T${time}Z`);
  const offsetMinutes = epochMs === null || Number.isNaN(local) ? null : Math.round((local - epochMs) / 60_000);
  return { date: date || null, time: (date && time) || null, epochMs, offsetMinutes };
}
