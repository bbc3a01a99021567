import { numberIn, readWhole } from '../exports/read-tables.ts';
import { TableError } from '../read/read-rows.ts';
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
export function readThresholds(text: string, shownAs: string): Thresholds {
  const wanted = ['Scientific name', 'Threshold'];
  const rows = readWhole(text, { shownAs, wanted, such: 'A table that thresholds writes' }, (cells, line) => {
    const [name = '', written = ''] = [cells['Scientific name'], cells['Threshold']];
    const threshold = numberIn(written);
    if (name === '' || (written !== '' && !(threshold !== null && threshold >= 0 && threshold <= 1)))
      throw new TableError(
        `Line ${line} of ${shownAs}: “${written}” is no threshold of “${name}”. It is a number from 0 to 1, or empty.`,
      );
    return [name, threshold] as const;
  });
  return new Map(rows);
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
