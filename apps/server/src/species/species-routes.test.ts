import { promisify } from 'node:util';
import {
  EXPECTED_FROM,
  problemBodySchema,
  rangeCellAt,
  rangeGrid,
  speciesAroundSchema,
  speciesRangeSchema,
  speciesSeasonSchema,
} from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRawClient } from '../testing/raw-client.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
/** There are towns around these. */
const towns = new Map([
  [rangeCellAt(53, 1), 'GB'],
  [rangeCellAt(-33, -71), 'CL'],
]);
const places = { townCells: async () => towns };
beforeEach(async () => {
  server = await createTestServer({ places });
});
afterEach(() => server.close());

const get = (path: string) => server.app.inject(`/v1/species/${path}`);

it('GET /v1/species/:name returns what is known about a bird without an account, also by another name', async () => {
  const response = await get('Nannus%20troglodytes?language=de');
  expect(response.statusCode).toBe(200);
  expect(response.headers['cache-control']).toBe('public, max-age=3600');
  expect(response.json()).toMatchObject({ scientificName: 'Troglodytes troglodytes', commonName: 'Zaunkönig' });
});

it('GET /v1/species/:name says that a name is unknown, and gives an example that works', async () => {
  const response = await get('Rara%20avis');
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({
    code: 'SPECIES_UNKNOWN',
    detail: expect.stringMatching(/“Rara avis”.*Turdus merula/),
  });
  expect((await get(`${'x'.repeat(101)}`)).statusCode).toBe(400);
  expect((await get('Troglodytes%20troglodytes?language=tlh')).json()).toMatchObject({ code: 'REQUEST_INVALID' });
});

it('A bird has a range for the year and for the present week', async () => {
  const year = await get('Troglodytes%20troglodytes/range');
  expect(year.json()).toMatchObject({ week: null, degrees: 2, columns: 180, rows: 71, cells: 'BwD/' });
  expect(year.headers['cache-control']).toBe('public, max-age=86400');
  expect((await get('Troglodytes%20troglodytes/range?period=week')).json().week).toBe(20);
  expect((await get('Troglodytes%20troglodytes/range?period=day')).statusCode).toBe(400);
  expect((await get('Rara%20avis/range')).statusCode).toBe(404);
});

it('The range of a bird marks cells without a town as sparse, and lists only regions of other cells', async () => {
  await server.close();
  const cells = Buffer.alloc(rangeGrid.columns * rangeGrid.rows);
  for (const [latitude, longitude] of [
    [53, 1],
    [-33, -71],
    [66, 100],
  ] as const)
    cells[rangeCellAt(latitude, longitude)] = 200;
  cells[rangeCellAt(-33, -71)] = occurrenceToByte(EXPECTED_FROM) - 1;
  server = await createTestServer({
    places,
    changeService: (service) => ({
      ...service,
      speciesRange: async () => ({ week: null, ...rangeGrid, cells: cells.toString('base64') }),
    }),
  });
  const { sparse, regions } = speciesRangeSchema.parse((await get('Troglodytes%20troglodytes/range')).json());
  expect(regions).toEqual(['GB']);
  const bytes = Buffer.from(sparse, 'base64');
  expect([bytes[rangeCellAt(53, 1)], bytes[rangeCellAt(-33, -71)], bytes[rangeCellAt(66, 100)]]).toEqual([0, 0, 1]);
});

it('Far from any town, the season of a bird is marked as sparse, and no birds around the place are listed', async () => {
  const season = async (query: string) =>
    speciesSeasonSchema.parse((await get(`Troglodytes%20troglodytes/season?${query}`)).json());
  const around = async (query: string) => speciesAroundSchema.parse((await get(`around?week=17&${query}`)).json());
  const [sahara, edge, town] = ['latitude=23&longitude=10', 'latitude=52.5&longitude=2', 'latitude=52.5&longitude=1'];
  expect(await season(sahara)).toMatchObject({ sparse: true, relatives: [] });
  expect(await around(sahara)).toEqual({ timeZone: null, week: 17, sparse: true, species: [] });
  for (const query of [edge, town, 'timeZone=Europe/Kiev']) {
    expect(await season(query), query).toMatchObject({ sparse: false, relatives: ['Troglodytes aedon'] });
    expect(await around(query), query).toMatchObject({ sparse: false, species: [{}] });
  }
});

it('The season of a bird is returned for a place rounded to half a degree', async () => {
  const season = await get('Troglodytes%20troglodytes/season?latitude=52.21&longitude=0.1');
  expect(season.json().weeks[0]).toBe(0.52);
  expect((await get('Troglodytes%20troglodytes/season?latitude=52.26&longitude=0.1')).json().weeks[0]).toBe(0.525);
  expect((await get('Troglodytes%20troglodytes/season?latitude=-33.4&longitude=-70.6')).json().weeks[0]).toBe(0.335);
  expect((await get('Troglodytes%20troglodytes/season?timeZone=Europe/Kiev')).json().timeZone).toBe('Europe/Kyiv');
  expect((await get('Troglodytes%20troglodytes/season?timeZone=Mars/Olympus')).statusCode).toBe(404);
  for (const query of ['', '?latitude=1', '?latitude=1&longitude=1&timeZone=Europe/Kiev', '?latitude=91&longitude=1'])
    expect((await get(`Troglodytes%20troglodytes/season${query}`)).statusCode, query).toBe(400);
});

it('The birds around a place rounded to half a degree are returned for a week, and a request that cannot be read is refused', async () => {
  const around = await get('around?latitude=52.26&longitude=0.1&week=17&language=de');
  expect(around.headers['cache-control']).toBe('public, max-age=86400');
  const wren = { scientificName: 'Troglodytes troglodytes', commonName: 'Zaunkönig', begins: true, ends: false };
  expect(speciesAroundSchema.parse(around.json())).toEqual({
    timeZone: null,
    week: 17,
    sparse: false,
    species: [{ ...wren, occurrence: 0.525 }],
  });
  expect((await get('around?timeZone=Europe/Kiev&week=1')).json()).toMatchObject({ timeZone: 'Europe/Kyiv', week: 1 });
  expect((await get('around?timeZone=Mars/Olympus&week=1')).statusCode).toBe(404);
  for (const [query, field] of [
    ['latitude=52&week=1', 'longitude'],
    ['week=1', 'timeZone'],
    ['latitude=52&longitude=0', 'week'],
    ['latitude=52&longitude=0&week=49', 'week'],
    ['latitude=52&longitude=181&week=1', 'longitude'],
    ['latitude=52&longitude=0&week=1&language=tlh', 'language'],
  ] as const) {
    const { code, errors } = problemBodySchema.parse((await get(`around?${query}`)).json());
    expect([query, code, errors?.map((one) => one.field)]).toEqual([query, 'REQUEST_INVALID', [field]]);
  }
});

it('The season of a bird is returned to another network while one network requests many and closes its connections', async () => {
  await server.close();
  const gate = Promise.withResolvers<void>();
  const asked: number[] = [];
  server = await createTestServer({
    changeService: (service) => ({
      ...service,
      async speciesSeason(name, where) {
        const latitude = 'latitude' in where ? where.latitude : 0;
        asked.push(latitude);
        if (latitude < 45) await gate.promise;
        return service.speciesSeason(name, where);
      },
    }),
  });
  const origin = await server.listen();
  const season = (latitude: number) => `/v1/species/Troglodytes%20troglodytes/season?latitude=${latitude}&longitude=0`;
  const clients = await Promise.all(Array.from({ length: 40 }, () => openRawClient(origin)));
  for (const [n, client] of clients.entries()) client.write(`GET ${season(n)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const refusals = clients.map((client) => client.until('"SERVER_BUSY"').catch(() => null));
  expect(await Promise.race(refusals)).not.toBeNull();
  const others = () => server.app.inject({ url: season(50), remoteAddress: '192.0.2.9' });
  expect((await others()).statusCode).toBe(200);
  for (const client of clients) client.cut();
  const countConnections = promisify(server.app.server.getConnections.bind(server.app.server));
  await eventually(async () => expect(await countConnections()).toBe(0));
  expect((await others()).statusCode).toBe(200);
  gate.resolve();
  // The first was under way. None of those that waited was begun after that.
  expect((await get('Troglodytes%20troglodytes/season?latitude=60&longitude=0')).statusCode).toBe(200);
  expect(asked.filter((latitude) => latitude < 45)).toHaveLength(1);
});
