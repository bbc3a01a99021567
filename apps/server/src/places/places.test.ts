import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placesSchema, rangeCellAt, regionOfPlaceSchema } from '@chiffchaff/contract';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { foldName } from './fold-name.ts';
import { PLACE_FILE_NAME, writePlaceFile } from './place-file.ts';
import { openPlaceIndex, type PlaceIndex } from './place-index.ts';
import { createPreparedPlaces, type PreparedPlaces } from './prepared-places.ts';

/** A line of the GeoNames table with the columns that are read. */
const line = (name: string, further: string, country: string, admin: string, population: number, kind = 'PPL'): string =>
  ['1', name, foldName(name), further, '1.5', '-2.25', 'P', kind, country, '', admin, '', '', '', String(population)].join('\t');

const names = async (index: PlaceIndex, query: string): Promise<string[]> =>
  (await index.search(query)).map(({ name, region }) => (region === null ? name : `${name}, ${region}`));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-places-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('The index of places', () => {
  let index: PlaceIndex;
  beforeAll(async () => {
    const lines = [
      line('Bath', '', 'GB', 'ENG', 94_000),
      line('Bathinda', '', 'IN', '23', 285_000),
      line('Bathurst', '', 'AU', '02', 37_000),
      line('Springfield', '', 'US', 'MO', 166_000),
      line('Springfield', '', 'US', 'IL', 116_000),
      line('Munich', 'München,Monaco di Baviera,Мюнхен', 'DE', '02', 1_260_000),
      line('München', '', 'CH', '', 100),
      line('Hamlet', '', 'CH', '', 4999).replace('-2.25', '2.25'),
      line('Sankt Pölten', '', 'AT', '03', 50_000),
      line('Atlantis', '', 'GR', '', 1_000_000, 'PPLH'),
      line('nonsense', '', 'XX', '', 1).slice(0, 12),
      '',
    ];
    for (let n = 0; n < 1000; n += 1) lines.push(line(`Village ${String(n).padStart(4, '0')}`, '', 'FR', '', n));
    const path = join(folder, 'small.sqlite');
    const regions = new Map([
      ['US.IL', 'Illinois'],
      ['US.MO', 'Missouri'],
      ['GB.ENG', 'England'],
    ]);
    await writePlaceFile(path, lines, regions);
    index = openPlaceIndex(path);
  });
  afterAll(() => index.close());

  it('finds a place by the beginning of its name, the most populous first', async () => {
    expect(await names(index, 'bathi')).toEqual(['Bathinda']);
    expect(await names(index, 'ba')).toEqual(['Bathinda', 'Bath, England', 'Bathurst']);
  });

  it('lists the cells of ranges that have a town of 5,000 people, each with the country of its largest town', async () => {
    expect([...(await index.townCells())]).toEqual([[rangeCellAt(1.5, -2.25), 'DE']]);
  });

  it('puts a place with exactly the typed name first', async () => {
    expect(await names(index, 'bath')).toEqual(['Bath, England', 'Bathinda', 'Bathurst']);
  });

  it('finds a place by its names in other languages and scripts, also without accents', async () => {
    expect(await names(index, 'MÜNCHEN')).toEqual(['Munich', 'München']);
    expect(await names(index, 'munch')).toEqual(['Munich', 'München']);
    expect(await names(index, 'мюнх')).toEqual(['Munich']);
    expect(await names(index, 'sankt polten')).toEqual(['Sankt Pölten']);
  });

  it('restricts the search to a region, country or country code after a comma', async () => {
    expect(await names(index, 'springfield')).toEqual(['Springfield, Missouri', 'Springfield, Illinois']);
    expect(await names(index, 'Springfield, Illinois')).toEqual(['Springfield, Illinois']);
    expect(await names(index, 'munchen, switz')).toEqual(['München']);
    expect(await names(index, 'bath, gb')).toEqual(['Bath, England']);
  });

  it('finds each of many places by its whole name', async () => {
    for (const n of [0, 255, 256, 999]) {
      const name = `Village ${String(n).padStart(4, '0')}`;
      expect(await names(index, name)).toEqual([name]);
    }
    expect(await names(index, 'village')).toHaveLength(10);
    expect((await names(index, 'village'))[0]).toBe('Village 0999');
  });

  it('lists the most populous places for a beginning that many names share, without reading all these names', async () => {
    const path = join(folder, 'without-names.sqlite');
    await copyFile(join(folder, 'small.sqlite'), path);
    const sqlite = new Sqlite(path);
    sqlite.exec("DELETE FROM names WHERE kind < 2 AND name LIKE 'v%'");
    sqlite.close();
    const listed = openPlaceIndex(path);
    for (const query of ['v', 'vi', 'village', 'village 0', 'vil, france'])
      expect(await names(listed, query), query).toEqual(await names(index, query));
    expect(await names(index, 'v')).toHaveLength(10);
    // A hundred names are read.
    expect(await names(listed, 'village 09')).toEqual([]);
    await listed.close();
  });

  it.each(['atlantis', 'nonsense', 'zzz', '  ', ',', '!', '\u0000', '\uffff'])('finds nothing for %j', async (query) => {
    expect(await index.search(query)).toEqual([]);
  });

  it('returns the coordinates and the name of a place', async () => {
    expect(await index.search('bathi')).toEqual([
      { name: 'Bathinda', region: null, countryCode: 'IN', latitude: 1.5, longitude: -2.25 },
    ]);
  });
});

describe('The places that come with the server', () => {
  let places: PreparedPlaces;
  let path: string;
  beforeAll(async () => {
    path = join(folder, PLACE_FILE_NAME);
    await writeFile(path, Buffer.alloc(100));
    expect(() => openPlaceIndex(path)).toThrow('file is not a database');
    const ofKilled = join(folder, `.${PLACE_FILE_NAME}.installing`);
    await mkdir(ofKilled);
    await writeFile(join(ofKilled, PLACE_FILE_NAME), 'half');
    places = createPreparedPlaces(folder);
    await places.prepare();
    expect((await readdir(folder)).filter((name) => name.endsWith('.installing'))).toEqual([]);
  });
  afterAll(() => places.close());

  it.each([
    ['München', 'Munich', 'DE'],
    ['wien', 'Vienna', 'AT'],
    ['koln', 'Köln', 'DE'],
    ['Paris', 'Paris', 'FR'],
    ['paris, texas', 'Paris', 'US'],
    ['ber', 'Berlin', 'DE'],
    ['Łódź', 'Łódź', 'PL'],
    ['東京', 'Tokyo', 'JP'],
  ])('are found by name, among them %s', async (query, name, countryCode) => {
    expect((await places.search(query))[0]).toMatchObject({ name, countryCode });
  });

  it('are listed for frequent beginnings of names just as reading all names would find them', () => {
    const sqlite = new Sqlite(path, { readonly: true });
    const beginnings = sqlite
      .prepare<[], { kind: number; name: string }>('SELECT DISTINCT kind, name FROM names WHERE kind >= 2')
      .all();
    expect(beginnings.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(['2 s', '2 sa', '2 san', '3 s', '3 sa', '2 saint', '2 san ']),
    );
    const select = 'SELECT DISTINCT place FROM names WHERE kind = ? AND name BETWEEN ? AND ? ORDER BY place LIMIT 200';
    const placesOf = sqlite.prepare<[kind: number, from: string, to: string], number>(select).pluck();
    for (const { kind, name } of beginnings.filter((_, index) => index % 20 === 0))
      expect(placesOf.all(kind, name, name), name).toEqual(placesOf.all(kind - 2, name, `${name}\u{10ffff}`));
    sqlite.close();
  });

  it.each([
    ['Chemnitz', 50.83, 12.92, 'DE'],
    ['the middle of the Harz', 51.8, 10.6, 'DE'],
    ['Basel, of three countries', 47.56, 7.59, '155'],
    ['Istanbul, of two continents and one country', 41.01, 28.97, 'TR'],
    ['between Gibraltar and Ceuta', 35.99, -5.34, null],
    ['the Outback', -24.5, 128.5, 'AU'],
    ['Fiji, just west of the date line', -16.8, 179.95, 'FJ'],
    ['Fiji, with a longitude beyond the date line', -16.8, -180.05, 'FJ'],
    ['Longyearbyen', 78.22, 15.65, 'SJ'],
    ['the middle of the Atlantic', 30, -40, null],
    ['the South Pole', -90, 0, null],
    ['the North Pole', 90, 180, null],
  ])('give the region at a point, or none at sea: %s', async (_, latitude, longitude, region) => {
    expect(await places.regionAt(latitude, longitude)).toBe(region);
  });

  it.each([
    ['Freiburg, as it is chosen by name', 48, 7.85, 'Freiburg'],
    ['a part of Berlin that is chosen by name', 52.5, 13.4, 'Kreuzberg'],
    ['Berlin, as it is chosen by name, not its quarter there', 52.52, 13.41, 'Berlin'],
    ['a village chosen by name, not the large city beside it', 48.19, 11.64, 'Unterföhring'],
    ['the same village from a kilometre away', 48.2, 11.65, 'Unterföhring'],
    ['Vogtsburg, 12 km from the next city', 48.08, 7.65, 'Vogtsburg'],
    ['Fiji, across the date line', -16.7, -179.99, null],
    ['the middle of the Atlantic', 30, -40, null],
  ])('give the town that a point is in or near, if it has one: %s', async (_, latitude, longitude, town) => {
    expect(await places.townAt(latitude, longitude)).toBe(town);
  });

  it('are built again if their stored file is damaged, and stored for the next start', async () => {
    const { ino, size } = await stat(path);
    expect(size).toBeGreaterThan(1_000_000);
    const next = createPreparedPlaces(folder);
    expect((await next.search('berlin'))[0]).toMatchObject({ countryCode: 'DE' });
    await next.close();
    expect((await stat(path)).ino).toBe(ino);
  });

  it('are not built to the end, which is no failure, if the server stops meanwhile', async () => {
    const stopped = createPreparedPlaces(join(folder, 'stopped'));
    const preparing = stopped.prepare();
    await stopped.close();
    expect(await preparing).toBeUndefined();
    expect(await readdir(join(folder, 'stopped'))).not.toContain(PLACE_FILE_NAME);
  });
});

describe('GET /v1/places', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it('returns places and their attribution', async () => {
    const place = { name: 'Bath', region: 'England', countryCode: 'GB', latitude: 51.4, longitude: -2.4 };
    const asked: string[] = [];
    server = await createTestServer({
      places: {
        search: async (query) => {
          asked.push(query);
          return [place];
        },
      },
    });
    const response = await server.app.inject('/v1/places?q=%20bath%20');
    expect(placesSchema.parse(response.json())).toEqual({ places: [place], attribution: 'GeoNames (geonames.org), CC BY 4.0' });
    expect(asked).toEqual(['bath']);
    expect(JSON.stringify(server.logged)).not.toContain('bath');
  });

  it.each(['/v1/places', '/v1/places?q=', `/v1/places?q=${'x'.repeat(101)}`, '/v1/places?q=a&q=b'])(
    'refuses an absent, empty, too long or repeated query (case %#)',
    async (url) => {
      server = await createTestServer();
      const response = await server.app.inject(url);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 'REQUEST_INVALID', errors: [{ field: 'q' }] });
    },
  );
});

describe('GET /v1/places/region', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it('returns the country at a place without logging the place, and refuses invalid coordinates', async () => {
    const regionAt = vi.fn(async () => 'DE');
    server = await createTestServer({ places: { regionAt } });
    const response = await server.app.inject('/v1/places/region?latitude=50.8&longitude=12.9');
    expect(regionOfPlaceSchema.parse(response.json())).toEqual({ region: 'DE' });
    expect(response.headers['cache-control']).toBe('private, max-age=3600');
    expect(regionAt).toHaveBeenCalledExactlyOnceWith(50.8, 12.9);
    expect(JSON.stringify(server.logged)).not.toContain('50.8');
    for (const query of ['', 'latitude=50', 'latitude=90.1&longitude=0', 'latitude=x&longitude=0', 'latitude=&longitude=']) {
      const refused = await server.app.inject(`/v1/places/region?${query}`);
      expect([query, refused.statusCode]).toEqual([query, 400]);
    }
  });
});
