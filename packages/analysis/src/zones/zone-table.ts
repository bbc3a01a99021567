import { setImmediate } from 'node:timers/promises';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { type Areas, chooseRegions } from './regions.ts';
import type { Town } from './sample-towns.ts';

/**
 * How likely each species is in each time zone (the maximum over the zone's towns of the occurrence over the year), and where each species
 * lives.
 */
export interface ZoneTable {
  readonly zones: readonly string[];
  /** one row for each zone, one byte for each label: see `occurrenceToByte`; shared between threads */
  readonly values: Uint8Array;
  /** The regions of each label: one line a label, with codes separated by spaces. A single string passes quickly between threads. */
  readonly regions: string;
}

/** A species lives where its occurrence is at least this. */
const LIVES_AT = 0.05;
/** A species that never reaches this has no regions. */
const LEAST_TOLD = 0.003;
/** Degrees. Towns in one field count as one, or a range would grow with the population of a country. */
const FIELD = 2;

const LABELS_AT_ONCE = 100;

/**
 * Makes the table by running the occurrence model for the towns of every zone: some 9,400 places in two seconds of CPU time.
 *
 * @param towns by zone
 * @param occurrences gives the occurrence of each label over the year in each town, one row after the other
 */
export async function makeZoneTable(
  towns: ReadonlyMap<string, readonly Town[]>,
  labelCount: number,
  areas: Areas,
  occurrences: (towns: readonly Town[]) => Promise<Float32Array>,
): Promise<ZoneTable> {
  const zones = [...towns.keys()].sort();
  const values = new Uint8Array(new SharedArrayBuffer(zones.length * labelCount));
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
    // Without pauses, answers would be delayed by a third of a second.
    if (label % LABELS_AT_ONCE === 0) await setImmediate();
  }
  return { zones, values, regions: regions.join('\n') };
}

const fieldOf = ({ latitude, longitude }: Town): string => `${Math.floor(latitude / FIELD)} ${Math.floor(longitude / FIELD)}`;

/** Collects how much of each species' range is in each country, counted in fields. */
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
    /** The range by country; for a species that is rare everywhere, the country where it is likeliest. */
    of(label: number): ReadonlyMap<string, number> {
      const range = new Map(countries.map((country) => [country, rows.get(country)?.[label] ?? 0] as const));
      for (const [country, part] of range) if (part === 0) range.delete(country);
      const likeliest = likeliestIn[label] ?? '';
      return range.size > 0 || (highest[label] ?? 0) < LEAST_TOLD ? range : new Map([[likeliest, 1]]);
    },
  };
}
