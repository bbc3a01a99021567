import { setImmediate } from 'node:timers/promises';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { type Areas, chooseRegions } from './regions.ts';
import type { Town } from './sample-towns.ts';

/** How likely each species is in each time zone, and where each lives: the highest occurrence of the year over the zone's towns. */
export interface ZoneTable {
  readonly zones: readonly string[];
  /** one row a zone, one byte a label: see `occurrenceToByte` */
  readonly values: Uint8Array;
  /** By label, the codes of its regions, separated by spaces; one line a label, so that it passes between threads at once. */
  readonly regions: string;
}

/** Lives where its occurrence reaches this. */
const LIVES_AT = 0.05;
/** Below this it lives nowhere that could be told. */
const LEAST_TOLD = 0.003;
/** degrees: towns of one field count as one, or ranges would be as large as their countries are populous */
const FIELD = 2;

const LABELS_AT_ONCE = 100;

/**
 * Asks the occurrence model for the towns of every zone. Some 9,400 places take two seconds of a processor.
 *
 * @param towns by zone
 * @param occurrences how likely each label is in each town over the year, one row behind the other
 */
export async function makeZoneTable(
  towns: ReadonlyMap<string, readonly Town[]>,
  labelCount: number,
  areas: Areas,
  occurrences: (towns: readonly Town[]) => Promise<Float32Array>,
): Promise<ZoneTable> {
  const zones = [...towns.keys()].sort();
  const values = new Uint8Array(zones.length * labelCount);
  const ranges = createRanges([...towns.values()].flat(), labelCount);
  const highest = new Float32Array(labelCount);
  for (const [row, zone] of zones.entries()) {
    const ofZone = towns.get(zone) ?? [];
    const found = await occurrences(ofZone);
    highest.fill(0);
    for (const [index, town] of ofZone.entries()) {
      const inTown = found.subarray(index * labelCount, (index + 1) * labelCount);
      ranges.enter(town, inTown);
      for (let label = 0; label < labelCount; label++) highest[label] = Math.max(highest[label] ?? 0, inTown[label] ?? 0);
    }
    for (let label = 0; label < labelCount; label++) values[row * labelCount + label] = occurrenceToByte(highest[label] ?? 0);
  }
  const regions: string[] = [];
  for (let label = 0; label < labelCount; label++) {
    regions.push(chooseRegions(ranges.of(label), areas).join(' '));
    // All at once would keep answers waiting for a third of a second.
    if (label % LABELS_AT_ONCE === 0) await setImmediate();
  }
  return { zones, values, regions: regions.join('\n') };
}

const fieldOf = ({ latitude, longitude }: Town): string => `${Math.floor(latitude / FIELD)} ${Math.floor(longitude / FIELD)}`;

/** How much of each species' range is in each country, in fields. */
function createRanges(towns: readonly Town[], labelCount: number) {
  const inField = new Map<string, number>();
  for (const town of towns) inField.set(fieldOf(town), (inField.get(fieldOf(town)) ?? 0) + 1);
  const countries = [...new Set(towns.map(({ countryCode }) => countryCode))].sort();
  const rows = new Map(countries.map((country) => [country, new Float32Array(labelCount)]));
  const highest = new Float32Array(labelCount);
  const likeliestIn = new Array<string>(labelCount).fill('');

  return {
    enter(town: Town, occurrence: Float32Array): void {
      const row = rows.get(town.countryCode);
      const weight = 1 / (inField.get(fieldOf(town)) ?? 1);
      if (row === undefined) return;
      for (let label = 0; label < labelCount; label++) {
        const value = occurrence[label] ?? 0;
        if (value >= LIVES_AT) row[label] = (row[label] ?? 0) + weight;
        if (value <= (highest[label] ?? 0)) continue;
        highest[label] = value;
        likeliestIn[label] = town.countryCode;
      }
    },
    /** Of a species that is rare everywhere, the country where it is likeliest. */
    of(label: number): ReadonlyMap<string, number> {
      const range = new Map(countries.map((country) => [country, rows.get(country)?.[label] ?? 0] as const));
      for (const [country, part] of range) if (part === 0) range.delete(country);
      const likeliest = likeliestIn[label] ?? '';
      return range.size > 0 || (highest[label] ?? 0) < LEAST_TOLD ? range : new Map([[likeliest, 1]]);
    },
  };
}
