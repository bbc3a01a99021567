import {
  type Candidate,
  type ImportedBird,
  lifeListImportedSchema,
  lifeListSchema,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;

const WREN = 'Troglodytes troglodytes';
const GOLDCREST = 'Regulus regulus';
const chemnitz = { latitude: 50.83, longitude: 12.92 };

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' }, limits: { restorableMs: 60_000 } });
  walker = await signUp(server, 'walker@example.org');
});
afterEach(() => server.close());

async function hear(on: string | null, at: ImportedBird['place'] = null, part: Partial<Candidate> = {}) {
  const bird: Candidate = {
    ...{ rank: 1, scientificName: WREN, commonName: 'Zaunkönig', confidence: 0.8, score: 0.8, confidenceWord: 'likely' },
    ...{ unusualHere: false, occurrence: null, best: { startSeconds: 0, endSeconds: 3 } },
    ...part,
  };
  server.analyzer.answerWith({ candidates: [bird] });
  const fields = Object.entries({ ...(on !== null && { date: on }), ...at }).map(([name, value]) => field(name, String(value)));
  return (await walker.predict([file('sound'), ...fields])).body.id;
}
const confirm = (id: string, name = WREN) =>
  walker.send('PUT', `/v1/predictions/${id}/reviews/${name}`, { verdict: 'confirmed' });
const read = async (query = '', account = walker) =>
  lifeListSchema.parse((await account.send('GET', `/v1/life-list${query}`)).body);
const bird = (scientificName: string, on: string, place: ImportedBird['place'] = chemnitz): ImportedBird => ({
  ...{ scientificName, on, place },
});
const importBirds = async (...birds: ImportedBird[]) => {
  const { status, body, text } = await walker.send('PUT', '/v1/life-list/imported', { birds });
  expect(status, text).toBe(200);
  return lifeListImportedSchema.parse(body);
};
const heardBefore = async (id: string) => {
  const stored = storedPredictionSchema.parse((await walker.send('GET', `/v1/predictions/${id}`)).body);
  return stored.state === 'done' ? stored.heardBefore?.[0] : null;
};

describe('The life list', () => {
  it('has each bird with its first confirmed day and place, or else the first unconfirmed, overall and of a year', async () => {
    const named = await hear('2024-03-01', null, { confidence: 0.75 });
    expect(await read('?year=2024')).toMatchObject({
      species: [
        {
          ...{ scientificName: WREN, predictions: 1, confirmedPredictions: 0 },
          first: { on: '2024-03-01', sentAt: null, place: null, confirmed: false, predictionId: named, confidence: 0.75 },
          firstThisYear: { on: '2024-03-01', confirmed: false },
        },
      ],
    });
    const second = await hear('2025-05-02', chemnitz);
    const third = await hear('2026-04-03');
    await confirm(third);
    await confirm(second);
    const [wren] = (await read('?year=2026')).species;
    expect(wren).toMatchObject({ predictions: 3, confirmedPredictions: 2 });
    const sure = { sentAt: null, confirmed: true, confidence: 0.8 };
    expect(wren?.first).toEqual({ ...sure, on: '2025-05-02', place: chemnitz, predictionId: second });
    expect(wren?.firstThisYear).toEqual({ ...sure, on: '2026-04-03', place: null, predictionId: third });
    expect((await read('?year=2024')).species[0]?.firstThisYear).toMatchObject({ on: '2024-03-01', confirmed: false });
    expect((await read('?year=2023')).species[0]?.firstThisYear).toBeNull();
  });

  it('counts imported birds as confirmed, renames those of other lists as in the model, and reports unknown names', async () => {
    const heard = await hear('2026-05-01');
    await confirm(heard);
    const birds = [bird('Nannus troglodytes', '2019-01-02'), bird(WREN, '2026-02-03', null), bird(GOLDCREST, '2018-07-08')];
    expect(await importBirds(...birds, bird('Rara avis', '2017-01-01'))).toEqual({ imported: 2, unknown: ['Rara avis'] });
    const { species, imported } = await read('?language=de&year=2026');
    expect(imported).toBe(2);
    expect(species.map(({ commonName }) => commonName)).toEqual(['Zaunkönig', 'Goldcrest']);
    expect(species[0]).toMatchObject({ predictions: 1, confirmedPredictions: 1 });
    const found = { sentAt: null, confirmed: true, predictionId: null, confidence: 0 };
    expect(species[0]?.first).toEqual({ ...found, on: '2019-01-02', place: chemnitz });
    expect(species[0]?.firstThisYear).toEqual({ ...found, on: '2026-02-03', place: null });
    expect(species[1]).toMatchObject({ predictions: 0, firstThisYear: null });
  });

  it('takes a name that eBird uses today for the bird that the model knows by another name', async () => {
    const names = new Map([['Accipiter gentilis', 'Northern Goshawk']]);
    vi.spyOn(server.analyzer, 'namesIn').mockResolvedValue(names);
    expect(await importBirds(bird('Astur atricapillus', '2019-01-02'))).toEqual({ imported: 1, unknown: [] });
    expect((await read()).species).toMatchObject([{ scientificName: 'Accipiter gentilis' }]);
  });

  it('lists for eBird each confirmed bird of each recording, and counts those left out without a day or a place', async () => {
    await importBirds(bird(WREN, '2019-01-02'));
    const late = await hear('2026-05-03', chemnitz);
    const early = await hear('2026-05-01', chemnitz);
    for (const id of [late, early, await hear('2026-05-02'), await hear(null, chemnitz)]) await confirm(id);
    await hear('2026-05-04', chemnitz);
    const scientificName = 'Accipiter gentilis';
    const goshawk = await hear('2026-05-05', chemnitz, { scientificName });
    await confirm(goshawk, scientificName);
    const wren = { scientificName: WREN, commonName: 'Zaunkönig', place: chemnitz };
    const ebirdNames = ['Astur atricapillus', 'Astur gentilis'];
    const { status, body } = await walker.send('GET', '/v1/life-list/confirmed');
    expect([status, body]).toEqual([
      200,
      {
        birds: [
          { ...wren, on: '2026-05-01', predictionId: early },
          { ...wren, on: '2026-05-03', predictionId: late },
          { ...wren, on: '2026-05-05', predictionId: goshawk, scientificName, ebirdNames },
        ],
        leftOut: 2,
      },
    ]);
  });

  it('has, of imported birds, only those of the last import, and none after an empty import', async () => {
    await importBirds(bird(WREN, '2019-01-02'));
    await importBirds(bird(GOLDCREST, '2019-01-02'));
    expect((await read()).species).toMatchObject([{ scientificName: GOLDCREST }]);
    await importBirds();
    expect(await read()).toEqual({ species: [], imported: 0 });
  });

  it('shows imported birds to no other account', async () => {
    await importBirds(bird(WREN, '2019-01-02'));
    expect(await read('', await signUp(server, 'other@example.org'))).toEqual({ species: [], imported: 0 });
  });

  it('accepts an import of 25,000 birds, and refuses a larger one and days that do not exist', async () => {
    const many = Array.from({ length: 25_000 }, (_, index) => bird(index % 2 === 0 ? WREN : GOLDCREST, dayAfter(index)));
    expect(await importBirds(...many)).toEqual({ imported: 2, unknown: [] });
    expect((await read()).species).toHaveLength(2);
    for (const birds of [[...many, bird(WREN, '2019-01-02')], [bird(WREN, '2019-02-31')], [bird('x'.repeat(101), '2019-01-02')]])
      expect(await walker.send('PUT', '/v1/life-list/imported', { birds })).toMatchObject({
        ...{ status: 400, body: { code: 'REQUEST_INVALID' } },
      });
  });
});

const dayAfter = (days: number): string => new Date(Date.UTC(1950, 0, 1 + days)).toISOString().slice(0, 10);

describe('Imported birds', () => {
  it('are among the times a bird was heard before if the recording is of a later day', async () => {
    await importBirds(bird(WREN, '2019-01-02'), bird(WREN, '2026-05-01'));
    const id = await hear('2026-05-01');
    expect(await heardBefore(id)).toEqual({ scientificName: WREN, timesThisYear: 1, lastHeardOn: '2019-01-02' });
    expect(await heardBefore(await hear('2026-05-02'))).toMatchObject({ timesThisYear: 2, lastHeardOn: '2026-05-01' });
    expect(await heardBefore(await hear('2018-05-02'))).toMatchObject({ timesThisYear: 1, lastHeardOn: null });
  });

  it('are deleted and restored with all predictions, and gone for good after that', async () => {
    await importBirds(bird(WREN, '2019-01-02'));
    const deleted = await walker.send('DELETE', '/v1/predictions');
    expect(deleted.body).toEqual({ deleted: 1, restorableUntil: expect.any(String) });
    expect(await read()).toEqual({ species: [], imported: 0 });
    expect((await walker.send('POST', '/v1/predictions/restore')).body).toEqual({ restored: 1 });
    expect((await read()).imported).toBe(1);
    await walker.send('DELETE', '/v1/predictions');
    const { query, change } = server.database;
    await change({}, (step) => step.updateTable('importedBirds').set({ deletedAtMs: 1 }).execute());
    await server.predictions.sweep();
    expect(await query.selectFrom('importedBirds').selectAll().execute()).toEqual([]);
  });

  it('are in the export of the account, and deleted with it', async () => {
    await importBirds(bird(WREN, '2019-01-02'));
    expect((await walker.send('GET', '/v1/account/export')).body.importedBirds).toEqual([
      { scientificName: WREN, commonName: 'Eurasian Wren', foundOn: '2019-01-02', ...chemnitz },
    ]);
    const url = '/v1/accounts:delete?key=any';
    expect((await server.app.inject({ method: 'POST', url, payload: { idToken: walker.token } })).statusCode).toBe(200);
    expect(await server.database.query.selectFrom('importedBirds').selectAll().execute()).toEqual([]);
  });
});
