import { readTable, type TableOpener } from '../read/read-table.ts';
import type { Note } from '../read/table-error.ts';
import { csvLine } from '../tables/csv.ts';
import type { SpeciesThreshold } from './fit-thresholds.ts';

/** Thresholds by scientific name; null when no threshold reaches the target. */
export type Thresholds = ReadonlyMap<string, number | null>;

const share = (value: number): string => value.toFixed(4);

export const thresholdHeader = (): string =>
  csvLine([
    ...['Scientific name', 'Target precision', 'Threshold', 'Threshold, low', 'Threshold, high'],
    ...['Expected precision', 'Precision, low', 'Precision, high', 'Right detections kept'],
    ...['Labels', 'Labels right', 'Detections', 'Known to ±5 points'],
  ]);

export const thresholdRow = (found: SpeciesThreshold, target: number): string =>
  csvLine([
    ...[found.scientificName, target, found.threshold === null ? null : share(found.threshold)],
    ...[share(found.thresholdInterval.low), share(found.thresholdInterval.high), share(found.precision)],
    ...[share(found.precisionInterval.low), share(found.precisionInterval.high), share(found.kept)],
    ...[found.labels, found.right, found.detections, found.isKnown],
  ]);

/** Reads a table of thresholds; only the columns named here are needed. @throws TableError that says what was found */
export function readThresholds(content: string | Uint8Array, shownAs: string, note: Note = () => {}): Thresholds {
  const thresholds = new Map<string, number | null>();
  const open: TableOpener = (columns) => {
    columns.need(['Scientific name', 'Threshold'], 'A table that thresholds writes');
    return (cells) => {
      const name = cells.filled('Scientific name');
      if (thresholds.has(name)) cells.fail('Scientific name', 'has one row');
      thresholds.set(name, cells.numberOrNull('Threshold', 0, 1));
    };
  };
  readTable(content, open, { shownAs, note, trims: true });
  return thresholds;
}

/** Leaves out detections below the threshold of their species, and all of a species for which no threshold reaches the target. */
export const applyThresholds = <Detection extends { readonly scientificName: string; readonly confidence: number }>(
  detections: readonly Detection[],
  thresholds: Thresholds,
): Detection[] =>
  detections.filter(({ scientificName, confidence }) => {
    const threshold = thresholds.get(scientificName);
    return threshold === undefined || (threshold !== null && confidence >= threshold);
  });
