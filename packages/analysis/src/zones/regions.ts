import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Maximum number of countries or parts of continents named for a species. */
const MOST_REGIONS = 3;
/** Lists countries if they cover this share of the range, else parts of continents if they cover theirs, else continents. */
const COVERED = { countries: 0.9, parts: 0.8 };
/** A continent is named if it has this share: the Blackbird's in Australia and New Zealand is 5 %. */
const LEAST_OF_CONTINENT = 0.03;

const CONTINENTS = ['002', '019', '142', '150', '009'];
/** The Unicode Consortium's copy of the UN's M49 areas. */
const AREAS = fileURLToPath(import.meta.resolve('cldr-core/supplemental/territoryContainment.json'));
const areasSchema = z.object({
  supplemental: z.object({
    territoryContainment: z.record(z.string(), z.object({ _contains: z.array(z.string()) })),
  }),
});

/** The part of a continent and the continent of each country; UN M49 codes by ISO code. */
export type Areas = ReadonlyMap<string, { readonly part: string; readonly continent: string }>;

export function readAreas(): Areas {
  const { territoryContainment } = areasSchema.parse(JSON.parse(readFileSync(AREAS, 'utf8'))).supplemental;
  const within = (area: string): string[] => territoryContainment[area]?._contains ?? [];
  const areas = CONTINENTS.flatMap((continent) =>
    within(continent)
      .filter((part) => /^\d{3}$/.test(part))
      .flatMap((part) => within(part).map((country) => [country, { part, continent }] as const)),
  );
  return new Map(areas);
}

/**
 * The countries or areas that contain most of a range, largest share first.
 *
 * @param range size of its part in each country, by ISO code
 */
export function chooseRegions(range: ReadonlyMap<string, number>, areas: Areas): string[] {
  const all = [...range.values()].reduce((sum, part) => sum + part, 0);
  const shares = (areaOf: (country: string) => string | undefined): [string, number][] => {
    const found = new Map<string, number>();
    for (const [country, part] of range) {
      const area = areaOf(country);
      if (area !== undefined) found.set(area, (found.get(area) ?? 0) + part / all);
    }
    return [...found].sort(([one, a], [other, b]) => b - a || one.localeCompare(other));
  };
  const covering = (ranked: readonly [string, number][], enough: number): string[] | null => {
    let covered = 0;
    for (const [index, [, share]] of ranked.slice(0, MOST_REGIONS).entries()) {
      covered += share;
      if (covered >= enough) return ranked.slice(0, index + 1).map(([area]) => area);
    }
    return null;
  };
  return (
    covering(
      shares((country) => country),
      COVERED.countries,
    ) ??
    covering(
      shares((country) => areas.get(country)?.part),
      COVERED.parts,
    ) ??
    shares((country) => areas.get(country)?.continent)
      .filter(([, share]) => share >= LEAST_OF_CONTINENT)
      .map(([area]) => area)
  );
}
