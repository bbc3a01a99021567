import { readAreas } from '@chiffchaff/analysis';
import type { Place } from '@chiffchaff/contract';
import Sqlite from 'better-sqlite3';
import { foldName } from './fold-name.ts';
import { FREQUENT, MOST_SEARCHED } from './place-file.ts';

export type PlaceIndex = ReturnType<typeof openPlaceIndex>;

const MAX_PLACES = 10;
/** Weights of matches, multiplied by population: `Bath` should find Bath before Bathinda, and `ber` Berlin before Aleppo. */
const WEIGHTS = {
  own: { whole: 30, beginning: 3 },
  further: { whole: 3, beginning: 1 },
} as const;
const LAST_CHARACTER = '\u{10ffff}';

/** Radii of the search for towns in degrees of latitude, tried in turn until there are some. */
const REACHES = [0.25, 1, 3] as const;
/** If a town of another country is at most this much further than the nearest town, the country is undecided. */
const BORDER_KM = 15;
const KM_PER_DEGREE = 111.2;
/** How far a place is from the town that it is named after. */
const NEAR_KM = 15;
/** Half of the last digit to which the page rounds coordinates. */
const ROUNDING = 0.0051;

type Town = Pick<Place, 'countryCode' | 'latitude' | 'longitude'>;

/**
 * Finds places by the beginning of any of their names, in a place file, which stays on disk.
 *
 * @throws Error if it is not a place file of this version
 */
export function openPlaceIndex(path: string) {
  const sqlite = new Sqlite(path, { readonly: true });
  const numbersOf = sqlite
    .prepare<[kind: number, from: string, to: string, most: number], number>(
      'SELECT DISTINCT place FROM names WHERE kind = ? AND name BETWEEN ? AND ? ORDER BY place LIMIT ?',
    )
    .pluck();
  /** One statement for all is ten times as fast as one for each. */
  const placesOf = sqlite.prepare<[numbers: string], Place & { number: number; population: number }>(
    'SELECT * FROM places WHERE number IN (SELECT value FROM json_each(?))',
  );

  const townsIn = sqlite.prepare<[degree: number, west: number, east: number], Town>(
    'SELECT countryCode, latitude, longitude FROM places WHERE CAST(latitude AS INTEGER) = ? AND longitude BETWEEN ? AND ?',
  );
  /** Countries of the towns that are about as near as the nearest one. */
  function countriesAround(latitude: number, longitude: number): readonly string[] {
    const narrowing = narrowingAt(latitude);
    for (const reach of REACHES) {
      const reachKm = reach * KM_PER_DEGREE;
      const wide = Math.min(180, reach / narrowing);
      const [south, north] = [Math.trunc(latitude - reach), Math.trunc(latitude + reach)];
      const degrees = Array.from({ length: north - south + 1 }, (_, index) => south + index);
      // Also searches across the date line.
      const found = [-360, 0, 360].flatMap((turn) =>
        degrees
          .flatMap((degree) => townsIn.all(degree, longitude - wide + turn, longitude + wide + turn))
          .map((town) => {
            const east = (town.longitude - longitude - turn) * narrowing;
            return { country: town.countryCode, km: KM_PER_DEGREE * Math.hypot(town.latitude - latitude, east) };
          }),
      );
      const nearestKm = Math.min(...found.map(({ km }) => km));
      if (nearestKm + BORDER_KM > reachKm) continue;
      return [...new Set(found.filter(({ km }) => km <= nearestKm + BORDER_KM).map(({ country }) => country))];
    }
    return [];
  }

  /**
   * A town that the coordinates were chosen by comes first; of the others, one that is twice as far has to be 16 times as large. Closer than a
   * kilometre, only size counts, so that a city comes before its quarters.
   */
  const nearestTown = sqlite
    .prepare<{ latitude: number; longitude: number; narrowing: number; high: number; wide: number }, string>(
      `SELECT name FROM (
        SELECT name, population, abs(latitude - :latitude) < ${ROUNDING} AND abs(longitude - :longitude) < ${ROUNDING} AS isChosen,
          pow(${KM_PER_DEGREE} * (latitude - :latitude), 2)
            + pow(${KM_PER_DEGREE} * :narrowing * (longitude - :longitude), 2) AS squareKm
        FROM places
        WHERE CAST(latitude AS INTEGER) IN (CAST(:latitude - :high AS INTEGER), CAST(:latitude + :high AS INTEGER))
          AND longitude BETWEEN :longitude - :wide AND :longitude + :wide
      )
      WHERE squareKm <= ${NEAR_KM ** 2} ORDER BY isChosen DESC, population / pow(max(1, squareKm), 2) DESC LIMIT 1`,
    )
    .pluck();

  let cells: ReadonlyMap<number, string> | null = null;
  return {
    /**
     * The region of a position, by the nearest towns: the ISO code of their country or, near a border, the UN M49 area that their countries
     * share. null if they share none, and far from any town.
     *
     * @param latitude,longitude degrees, WGS 84
     */
    async regionAt(latitude: number, longitude: number): Promise<string | null> {
      const countries = countriesAround(latitude, longitude);
      const [country = null] = countries;
      if (countries.length < 2) return country === '' ? null : country;
      const parts = new Set(countries.map((code) => readAreasOnce().get(code)?.part ?? null));
      const continents = new Set(countries.map((code) => readAreasOnce().get(code)?.continent ?? null));
      const [common = null] = [parts, continents].find(({ size }) => size === 1) ?? [];
      return common;
    },
    /** The name of the town that a position is in or near; null if none is within 15 km. @param latitude,longitude degrees, WGS 84 */
    async townAt(latitude: number, longitude: number): Promise<string | null> {
      const narrowing = narrowingAt(latitude);
      const high = NEAR_KM / KM_PER_DEGREE;
      return nearestTown.get({ latitude, longitude, narrowing, high, wide: high / narrowing }) ?? null;
    },
    /**
     * At most ten places, best first: ranked by population and by how well a name matches. `Springfield, Illinois` finds only places in that
     * region or country.
     */
    async search(query: string): Promise<readonly Place[]> {
      const [name = '', ...rest] = query.split(',');
      const start = foldName(name);
      const where = foldName(rest.join(' '));
      if (start === '') return [];
      const most = where === '' ? MAX_PLACES : MOST_SEARCHED;
      const weights = new Map<number, number>();
      const weigh = (numbers: readonly number[], weight: number): void => {
        for (const number of numbers) weights.set(number, Math.max(weight, weights.get(number) ?? 0));
      };
      for (const [kind, { whole, beginning }] of [WEIGHTS.own, WEIGHTS.further].entries()) {
        weigh(numbersOf.all(kind, start, start, most), whole);
        const frequent = numbersOf.all(kind + FREQUENT, start, start, most);
        weigh(frequent.length > 0 ? frequent : numbersOf.all(kind, start, start + LAST_CHARACTER, most), beginning);
      }
      return placesOf
        .all(JSON.stringify([...weights.keys()]))
        .filter((place) => where === '' || isIn(place, where))
        .map(({ number, population, ...place }) => ({ place, rank: (population + 1) * (weights.get(number) ?? 0) }))
        .sort((a, b) => b.rank - a.rank)
        .slice(0, MAX_PLACES)
        .map(({ place }) => place);
    },
    /** The cells of a range in which there are towns, with the country of the largest. */
    async townCells(): Promise<ReadonlyMap<number, string>> {
      cells ??= new Map(sqlite.prepare<[], [number, string]>('SELECT cell, countryCode FROM cells').raw().all());
      return cells;
    },
    async close(): Promise<void> {
      sqlite.close();
    },
  };
}

/** A degree of longitude as a part of one of latitude. */
const narrowingAt = (latitude: number): number => Math.max(0.01, Math.cos((latitude * Math.PI) / 180));

let areas: ReturnType<typeof readAreas> | null = null;
export function readAreasOnce() {
  areas ??= readAreas();
  return areas;
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Looked up once for each country: a search goes through hundreds of places. */
const foldedCountries = new Map<string, readonly string[]>();

function foldedNamesOf(countryCode: string): readonly string[] {
  const known = foldedCountries.get(countryCode);
  if (known !== undefined) return known;
  const names = countryCode === '' ? [] : [countryCode, COUNTRY_NAMES.of(countryCode) ?? ''].map(foldName);
  foldedCountries.set(countryCode, names);
  return names;
}

const isIn = ({ region, countryCode }: Place, where: string): boolean =>
  [...foldedNamesOf(countryCode), foldName(region ?? '')].some((name) => name.startsWith(where));
