import { readTable, type TableOpener } from '../read/read-table.ts';
import type { Note } from '../read/table-error.ts';
import { csvLine } from '../tables/csv.ts';
import type { SpeciesThreshold } from './fit-thresholds.ts';
import { OUTCOMES, type Outcome } from './threshold.ts';

/** The least confidence that counts, by scientific name; null for want of labels, so that all count; infinite when none is high enough. */
export type Thresholds = ReadonlyMap<string, number | null>;

const share = (value: number | null): string | null => value?.toFixed(4) ?? null;
const NONE: Outcome = 'no confidence is high enough';

export const thresholdHeader = (): string =>
  csvLine([
    ...['Scientific name', 'Target precision', 'Threshold', 'Outcome', 'Threshold, low', 'Threshold, high'],
    ...['Expected precision', 'Expected precision, low', 'Expected precision, high', 'Right detections kept'],
    ...['Levels off at', 'Curve fits', 'Labels', 'Labels right', 'Detections', 'Known to ±5 points'],
  ]);

export const thresholdRow = (found: SpeciesThreshold, target: number): string =>
  csvLine([
    ...[found.scientificName, target, share(found.threshold), found.outcome],
    ...[share(found.thresholdInterval.low), share(found.thresholdInterval.high), share(found.precision)],
    ...[share(found.precisionInterval.low), share(found.precisionInterval.high), share(found.kept), share(found.levelsOffAt)],
    ...[found.fits, found.labels, found.right, found.detections, found.isKnown],
  ]);

/**
 * Reads a table of thresholds; it needs the columns Scientific name and Threshold. A species with an empty threshold keeps all its detections,
 * unless its outcome is that no confidence is high enough.
 *
 * @throws TableError that says what was found
 */
export function readThresholds(content: string | Uint8Array, shownAs: string, note: Note = () => {}): Thresholds {
  const thresholds = new Map<string, number | null>();
  const open: TableOpener = (columns) => {
    columns.need(['Scientific name', 'Threshold'], 'A table that thresholds writes');
    return (cells) => {
      const name = cells.scientificName();
      if (thresholds.has(name)) cells.fail('Scientific name', 'has one row');
      const outcome = cells.text('Outcome') === '' ? null : cells.oneOf('Outcome', OUTCOMES);
      thresholds.set(name, cells.numberOrNull('Threshold', 0, 1) ?? (outcome === NONE ? Number.POSITIVE_INFINITY : null));
    };
  };
  readTable(content, open, { shownAs, note, trims: true });
  return thresholds;
}

/** Whether a detection reaches the threshold of its species; it does where there is none. */
export const reachesThreshold = (
  { scientificName, confidence }: { readonly scientificName: string; readonly confidence: number | null },
  thresholds: Thresholds,
): boolean => (confidence ?? 0) >= (thresholds.get(scientificName) ?? 0);
