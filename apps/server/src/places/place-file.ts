import { rangeCellAt } from '@chiffchaff/contract';
import Sqlite from 'better-sqlite3';
import { foldName } from './fold-name.ts';

/**
 * The file that places are looked up in: an SQLite database, so that they need not be in memory. Places are numbered by descending
 * population. Each has its folded names: its own ones (`kind` 0) and further ones, in other languages and from other times (1). Beginnings
 * that many of these have are names of their own (2 and 3) of the largest places: reading all names with them would hold up other requests.
 * `cells` has those of a range (`rangeGrid`) in which there are towns, with the country of the largest.
 *
 * The number in the file's name changes with the layout.
 */
export const PLACE_FILE_NAME = 'places-5.sqlite';

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
  CREATE INDEX placesByPosition ON places (CAST(latitude AS INTEGER), longitude);
  CREATE TABLE names (
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (kind, name, place)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE cells (cell INTEGER PRIMARY KEY, countryCode TEXT NOT NULL) STRICT;
`;

/** A place with at least so many people is a town: some of them report birds. */
const TOWN_POPULATION = 5000;

/** Added to the kind of names: that of their frequent beginnings. */
export const FREQUENT = 2;
/** Places that a search looks at, before it narrows them down. */
export const MOST_SEARCHED = 200;
/** A beginning that more names have is frequent. */
const MOST_READ = 500;

type Named = readonly [name: string, place: number];

/** The beginnings that many of the names have, with their largest places. @param names by place @param length of the shortest */
function* frequentBeginnings(names: readonly Named[], length = 1): Generator<Named> {
  const long = names.filter(([name]) => name.length >= length);
  for (const [beginning, some] of Map.groupBy(long, ([name]) => name.slice(0, length))) {
    if (some.length <= MOST_READ) continue;
    const places = new Set(some.map(([, place]) => place));
    for (const place of [...places].slice(0, MOST_SEARCHED)) yield [beginning, place];
    yield* frequentBeginnings(some, length + 1);
  }
}

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
  const addCell = sqlite.prepare('INSERT OR IGNORE INTO cells VALUES (?, ?)');
  sqlite.transaction(() => {
    const names: readonly [Named[], Named[]] = [[], []];
    for (const [number, { own, further, ...place }] of places.entries()) {
      addPlace.run({ number, ...place });
      if (place.population >= TOWN_POPULATION) addCell.run(rangeCellAt(place.latitude, place.longitude), place.countryCode);
      for (const name of own) if (name !== '') names[0].push([name, number]);
      for (const name of further) if (name !== '' && !own.has(name)) names[1].push([name, number]);
    }
    for (const [kind, named] of names.entries()) {
      for (const [name, place] of named) addName.run(kind, name, place);
      for (const [beginning, place] of frequentBeginnings(named)) addName.run(kind + FREQUENT, beginning, place);
    }
  })();
  sqlite.close();
}
