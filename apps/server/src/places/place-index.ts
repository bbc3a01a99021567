import type { Place } from '@chiffchaff/contract';
import Sqlite from 'better-sqlite3';
import { foldName } from './fold-name.ts';

/** Finds places by the beginning of any of their names. */
export interface PlaceIndex {
  /** At most ten places, best first: those of exactly that name before those that begin with it, the populous before the small. `Springfield, Illinois` asks for one in that region or country. */
  search(query: string): Promise<readonly Place[]>;
  close(): Promise<void>;
}

const MAX_PLACES = 10;
/** Looked through for a region or country. */
const MAX_NARROWED = 200;
/** What a match is worth beside population: `Bath` is rather Bath than Bathinda, and `ber` rather Berlin than Aleppo. */
const WEIGHTS = {
  own: { whole: 30, beginning: 3 },
  further: { whole: 3, beginning: 1 },
} as const;
const LAST_CHARACTER = '\u{10ffff}';

interface Found extends Place {
  readonly population: number;
}

/**
 * Opens a place file. It stays on disk.
 *
 * @throws Error when it is not a place file of this version
 */
export function openPlaceIndex(path: string): PlaceIndex {
  const sqlite = new Sqlite(path, { readonly: true });
  const numbersOf = sqlite
    .prepare<[isFurther: 0 | 1, from: string, to: string, most: number], number>(
      'SELECT DISTINCT place FROM names WHERE isFurther = ? AND name BETWEEN ? AND ? ORDER BY place LIMIT ?',
    )
    .pluck();
  const placeOf = sqlite.prepare<[number: number], Found>(
    'SELECT name, region, countryCode, latitude, longitude, population FROM places WHERE number = ?',
  );

  return {
    async search(query) {
      const [name = '', ...rest] = query.split(',');
      const start = foldName(name);
      const where = foldName(rest.join(' '));
      if (start === '') return [];
      const most = where === '' ? MAX_PLACES : MAX_NARROWED;
      const weights = new Map<number, number>();
      const weigh = (isFurther: 0 | 1, to: string, weight: number): void => {
        for (const number of numbersOf.all(isFurther, start, to, most)) {
          weights.set(number, Math.max(weight, weights.get(number) ?? 0));
        }
      };
      weigh(0, start, WEIGHTS.own.whole);
      weigh(0, start + LAST_CHARACTER, WEIGHTS.own.beginning);
      weigh(1, start, WEIGHTS.further.whole);
      weigh(1, start + LAST_CHARACTER, WEIGHTS.further.beginning);
      return [...weights]
        .map(([number, weight]) => ({ place: placeOf.get(number), weight }))
        .flatMap(({ place, weight }) => (place === undefined ? [] : [{ place, rank: (place.population + 1) * weight }]))
        .filter(({ place }) => where === '' || isIn(place, where))
        .sort((a, b) => b.rank - a.rank)
        .slice(0, MAX_PLACES)
        .map(({ place: { population: _, ...place } }) => place);
    },
    async close() {
      sqlite.close();
    },
  };
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

function isIn({ region, countryCode }: Place, where: string): boolean {
  const names = [region, countryCode, countryCode === '' ? null : COUNTRY_NAMES.of(countryCode)];
  return names.some((name) => typeof name === 'string' && foldName(name).startsWith(where));
}
