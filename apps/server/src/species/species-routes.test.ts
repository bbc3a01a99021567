import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
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
