/** A town that represents a time zone. */
export interface Town {
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

const LARGEST = 8;
const RANDOM = 16;

interface FoundTown extends Town {
  readonly population: number;
}

interface Zone {
  /** by decreasing population */
  largest: FoundTown[];
  readonly others: FoundTown[];
  otherCount: number;
  readonly random: () => number;
}

/**
 * Chooses the towns that represent each time zone: the largest, where most recordings come from, and a random sample of the others, which
 * includes the countryside and the far ends of the zone. The same table always gives the same towns.
 *
 * @param lines of a GeoNames table (geonames.org/export, "main 'geoname' table")
 * @returns towns by zone name as in the table
 */
export async function sampleTowns(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ReadonlyMap<string, readonly Town[]>> {
  const zones = new Map<string, Zone>();
  for await (const line of lines) {
    const [, , , , latitude, longitude, , , countryCode, , , , , , population, , , name] = line.split('\t');
    if (name === undefined || name === '' || countryCode === undefined || countryCode === '') continue;
    const zone = zones.get(name) ?? { largest: [], others: [], otherCount: 0, random: randomOf(name) };
    zones.set(name, zone);
    enter(zone, { countryCode, latitude: Number(latitude), longitude: Number(longitude), population: Number(population) });
  }
  const towns = ({ population: _, ...town }: FoundTown): Town => town;
  return new Map([...zones].map(([name, { largest, others }]) => [name, [...largest, ...others].map(towns)]));
}

/** Keeps the largest, and each of the others with the same chance (reservoir sampling), without holding all 200,000. */
function enter(zone: Zone, town: FoundTown): void {
  const { largest, others, random } = zone;
  const at = largest.findIndex(({ population }) => population < town.population);
  largest.splice(at < 0 ? largest.length : at, 0, town);
  const other = largest.length > LARGEST ? largest.pop() : undefined;
  if (other === undefined) return;
  zone.otherCount += 1;
  const seat = others.length < RANDOM ? others.length : Math.floor(random() * zone.otherCount);
  if (seat < RANDOM) others[seat] = other;
}

/** Random numbers 0…1, seeded with the name. Source: mulberry32 over an FNV-1a hash. */
function randomOf(name: string): () => number {
  let state = 0x811c9dc5;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
