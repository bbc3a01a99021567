import Sqlite from 'better-sqlite3';
import { foldName } from './fold-name.ts';

/**
 * The file that places are looked up in: an SQLite database, so that they need not be in memory. Places are numbered by descending
 * population. Each has its folded names: its own ones and further ones, in other languages and from other times.
 *
 * The number in the file's name changes with the layout.
 */
export const PLACE_FILE_NAME = 'places-3.sqlite';

const LAYOUT = `
  CREATE TABLE places (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    region TEXT,
    countryCode TEXT NOT NULL,
    latitude REAL NOT NULL,
    longitude REAL NOT NULL,
    population INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX placesByPosition ON places (latitude, longitude, countryCode);
  CREATE TABLE names (
    isFurther INTEGER NOT NULL,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (isFurther, name, place)
  ) STRICT, WITHOUT ROWID;
`;

/** Abandoned, destroyed and historical places. */
const GONE = new Set(['PPLQ', 'PPLW', 'PPLH', 'PPLCH']);

/** Parses a line of a GeoNames table (geonames.org/export, "main 'geoname' table"); null for a place that no longer exists. */
function readLine(line: string, regions: ReadonlyMap<string, string>) {
  const columns: Readonly<Record<number, string>> = line.split('\t');
  const { 1: name, 2: asciiName = '', 3: furtherNames = '', 4: latitude, 5: longitude, 7: kind = '' } = columns;
  const { 8: countryCode = '', 10: admin = '', 14: count } = columns;
  if (name === undefined || latitude === undefined || longitude === undefined || GONE.has(kind)) return null;
  return {
    name,
    region: regions.get(`${countryCode}.${admin}`) ?? null,
    countryCode,
    latitude: Number(latitude),
    longitude: Number(longitude),
    population: Number(count ?? 0),
    own: new Set([name, asciiName].map(foldName)),
    further: new Set(furtherNames.split(',').map(foldName)),
  };
}

/**
 * @param lines of a GeoNames table
 * @param regions names of first-order divisions by `country.code`
 */
export async function writePlaceFile(
  path: string,
  lines: AsyncIterable<string> | Iterable<string>,
  regions: ReadonlyMap<string, string>,
): Promise<void> {
  const places: NonNullable<ReturnType<typeof readLine>>[] = [];
  for await (const line of lines) {
    const place = readLine(line, regions);
    if (place) places.push(place);
  }
  places.sort((a, b) => b.population - a.population);
  const sqlite = new Sqlite(path);
  sqlite.exec(LAYOUT);
  const addPlace = sqlite.prepare(
    'INSERT INTO places VALUES (:number, :name, :region, :countryCode, :latitude, :longitude, :population)',
  );
  const addName = sqlite.prepare('INSERT INTO names VALUES (?, ?, ?)');
  sqlite.transaction(() => {
    for (const [number, { own, further, ...place }] of places.entries()) {
      addPlace.run({ number, ...place });
      for (const name of own) if (name !== '') addName.run(0, name, number);
      for (const name of further) if (name !== '' && !own.has(name)) addName.run(1, name, number);
    }
  })();
  sqlite.close();
}
