import { csvLine } from '../tables/csv.ts';
import type { Listened, Summary } from './create-summary.ts';

/** Hours to four decimal places: a third of a second. */
const hours = (seconds: number): string => String(Math.round((seconds / 3600) * 10_000) / 10_000);
/** Detections per hour of effort; null without effort. */
const rate = (detections: number, seconds: number): string | null =>
  seconds > 0 ? ((detections * 3600) / seconds).toFixed(3) : null;

/** A number of detections: zero where recordings have none, null where there are no recordings. */
export const detectionsOrNull = (detections: number, seconds: number): number | null =>
  detections === 0 && seconds === 0 ? null : detections;

export const listenedAt = ({ effort }: Summary, site: string, date: string): Listened =>
  effort.get(site)?.get(date) ?? { recordings: 0, seconds: 0 };

const byName = ({ species }: Summary) => [...species].sort((a, b) => (a.scientificName < b.scientificName ? -1 : 1));

/** CSV: a row for each species and hour of the day, over all sites and days. */
export function* speciesHourTable(summary: Summary): Generator<string> {
  yield csvLine(['Scientific name', 'Common name', 'Hour', 'Detections', 'Hours listened', 'Detections per hour']);
  for (const { scientificName, commonName, byHour } of byName(summary))
    for (const [hour, detections] of byHour.entries()) {
      const seconds = summary.secondsByHour[hour] ?? 0;
      const listened = summary.knowsEffort ? hours(seconds) : null;
      yield csvLine([
        scientificName,
        commonName,
        hour,
        detectionsOrNull(detections, seconds),
        listened,
        rate(detections, seconds),
      ]);
    }
}

/** CSV: a row for each species, site and day, heard or not. */
export function* speciesDaySiteTable(summary: Summary): Generator<string> {
  yield csvLine(['Scientific name', 'Common name', 'Site', 'Date', 'Detections', 'Hours listened', 'Detections per hour']);
  for (const { scientificName, commonName, bySite } of byName(summary))
    for (const site of summary.sites)
      for (const date of summary.dates) {
        const detections = bySite.get(site)?.get(date) ?? 0;
        const { seconds } = listenedAt(summary, site, date);
        const listened = summary.knowsEffort ? hours(seconds) : null;
        yield csvLine([
          ...[scientificName, commonName, site, date, detectionsOrNull(detections, seconds), listened],
          rate(detections, seconds),
        ]);
      }
}

/** CSV: a row for each site and day. */
export function* effortTable(summary: Summary): Generator<string> {
  yield csvLine(['Site', 'Date', 'Recordings', 'Hours listened']);
  for (const site of summary.sites)
    for (const date of summary.dates) {
      const { recordings, seconds } = listenedAt(summary, site, date);
      yield csvLine([site, date, recordings, hours(seconds)]);
    }
}
