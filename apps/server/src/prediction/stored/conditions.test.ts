import { type Candidate, predictionListSchema, predictionSchema, storedPredictionSchema } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signInAgain, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;
let id: string;

const candidate = (scientificName: string, commonName: string): Candidate => ({
  ...{ rank: 1, scientificName, commonName, confidence: 0.8, score: 0.8 },
  ...{ confidenceWord: 'likely', unusualHere: false, occurrence: null, best: { startSeconds: 0, endSeconds: 3 } },
});
const creeper = candidate('Loxops mana', 'Hawaii Creeper');
const treecreeper = candidate('Certhia familiaris', 'Eurasian Treecreeper');
const CAMBRIDGE = { latitude: 52.2, longitude: 0.1 };

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  walker = await signUp(server, 'walker@example.org');
  server.analyzer.answerWith({ candidates: [creeper] });
  // What is kept of these bytes, which are no audio, would be discarded at any moment.
  id = (await walker.predict([file('sound'), field('minScore', '0.3'), field('keepAudio', 'nothing')])).body.id;
});
afterEach(() => server.close());

const change = (body: object, query = '') => walker.send('POST', `/v1/predictions/${id}/conditions${query}`, body);
const stored = async (user = walker) => {
  const found = storedPredictionSchema.parse((await user.send('GET', `/v1/predictions/${id}`)).body);
  if (found.state !== 'done') throw new Error(found.state);
  return found;
};
const listed = async () => predictionListSchema.parse((await walker.send('GET', '/v1/predictions')).body).predictions;
const lifeList = async (): Promise<string[]> =>
  (await walker.send('GET', '/v1/life-list')).body.species.map(
    ({ scientificName }: { scientificName: string }) => scientificName,
  );
const found = async (query: string) => (await walker.send('GET', `/v1/predictions?${query}`)).body.predictions.length;

describe('A place and a date given later for a prediction', () => {
  it('change the prediction, the history, the search, the life list and the exports', async () => {
    const before = await stored();
    expect(before.conditionsChanged).toBe(false);
    server.analyzer.answerWith({ candidates: [treecreeper] });
    const answer = await change({ ...CAMBRIDGE, date: '2024-05-27' });
    const changed = predictionSchema.parse(answer.body);
    expect(changed).toMatchObject({ id, conditions: { ...CAMBRIDGE, date: '2024-05-27', week: 20, minScore: 0.3 } });
    const heardBefore = [{ scientificName: 'Certhia familiaris', timesThisYear: 1, lastHeardOn: null }];
    expect(await stored()).toEqual({ ...before, prediction: changed, conditionsChanged: true, heardBefore });
    // After signing in again, too.
    expect((await stored(await signInAgain(server, 'walker@example.org'))).prediction).toEqual(changed);
    expect((await listed())[0]).toMatchObject({ recordedOn: '2024-05-27', species: [{ scientificName: 'Certhia familiaris' }] });
    expect(await lifeList()).toEqual(['Certhia familiaris']);
    expect(await Promise.all(['search=treecreeper', 'search=hawaii'].map(found))).toEqual([1, 0]);
    expect(await Promise.all(['from=2024-05-27&to=2024-05-27', 'latitude=52.2&longitude=0.1'].map(found))).toEqual([1, 1]);
    expect((await walker.send('GET', `/v1/predictions/${id}/export?format=json`)).body).toMatchObject({
      conditions: { date: '2024-05-27' },
    });
    expect((await walker.send('GET', '/v1/account/export')).body.predictions).toMatchObject([
      { conditions: { date: '2024-05-27' } },
    ]);
  });

  it('stay when other settings of the prediction change, and are removed by null', async () => {
    await change({ ...CAMBRIDGE, date: '2024-05-27' });
    await change({ minScore: 0.6 });
    expect((await stored()).prediction.conditions).toMatchObject({ ...CAMBRIDGE, date: '2024-05-27', minScore: 0.6 });
    await change({ latitude: null, longitude: null });
    expect((await stored()).prediction.conditions).toMatchObject({ latitude: null, placeSource: 'none', date: '2024-05-27' });
    await change({ date: null, minScore: null });
    expect((await stored()).prediction.conditions).toMatchObject({ date: null, week: null, minScore: 0.25 });
  });

  it('can be previewed without being stored', async () => {
    const before = await stored();
    expect((await change(CAMBRIDGE, '?preview=true')).body.conditions).toMatchObject(CAMBRIDGE);
    expect(await stored()).toEqual(before);
    expect((await change(CAMBRIDGE, '?preview=perhaps')).status).toBe(400);
  });

  it('can be undone to the first prediction, whatever was changed in between', async () => {
    const first = await stored();
    const before = await listed();
    server.analyzer.answerWith({ candidates: [treecreeper] });
    await change({ ...CAMBRIDGE, date: '2024-05-27' });
    await change({ language: 'de' });
    for (const _repeated of [1, 2]) {
      const back = await walker.send('DELETE', `/v1/predictions/${id}/conditions`);
      expect(predictionSchema.parse(back.body)).toEqual(first.prediction);
    }
    expect(await stored()).toEqual(first);
    expect(await listed()).toEqual(before);
    expect(await lifeList()).toEqual(['Loxops mana']);
    expect(await server.database.query.selectFrom('firstAnswers').select('predictionId').execute()).toEqual([]);
  });

  it('keep the reviews, even that of a bird that is no longer in the prediction', async () => {
    await walker.send('PUT', `/v1/predictions/${id}/reviews/Loxops%20mana`, { verdict: 'confirmed' });
    server.analyzer.answerWith({ candidates: [treecreeper] });
    const { body } = await change(CAMBRIDGE);
    expect(body.reviews).toMatchObject([{ scientificName: 'Loxops mana', verdict: 'confirmed' }]);
    expect((await stored()).prediction).toEqual(predictionSchema.parse(body));
    expect((await lifeList()).toSorted()).toEqual(['Certhia familiaris', 'Loxops mana']);
  });

  it('leave nothing behind when the prediction is deleted', async () => {
    await change(CAMBRIDGE);
    await walker.send('DELETE', `/v1/predictions/${id}`);
    expect((await change({ minScore: 0.6 })).status).toBe(404);
    expect((await walker.send('DELETE', `/v1/predictions/${id}/conditions`)).status).toBe(404);
    await server.database.change({}, (query) =>
      query.updateTable('predictions').set({ deletedAtMs: 1 }).where('id', '=', id).execute(),
    );
    await server.predictions.sweep();
    expect(await server.database.query.selectFrom('firstAnswers').select('predictionId').execute()).toEqual([]);
  });
});

describe('Conditions (place and date) given later for a prediction', () => {
  it('can assume a place from a time zone, until a place is given', async () => {
    const ask = async (body: object) => (await change(body)).body.conditions;
    const kyiv = { placeSource: 'assumed', timeZone: 'Europe/Kyiv', latitude: null };
    expect(await ask({ timeZone: 'Europe/Kiev' })).toMatchObject(kyiv);
    expect(await ask({ latitude: 1, longitude: 2, placeSource: 'file' })).toMatchObject({
      ...{ placeSource: 'file', timeZone: null, latitude: 1 },
    });
    expect(await ask({ latitude: 3, longitude: 4 })).toMatchObject({ placeSource: 'stated', latitude: 3 });
    expect(await ask({ latitude: null, longitude: null })).toMatchObject(kyiv);
    for (const timeZone of ['UTC', 'Mars/Olympus', '', null])
      expect(await ask({ timeZone })).toMatchObject({ placeSource: 'none', timeZone: null });
  });

  it('keep the time zone that a stored place was assumed from', async () => {
    const { body } = await walker.predict([file('a'), field('timeZone', 'Europe/Kiev')]);
    const { prediction } = (await walker.send('GET', `/v1/predictions/${body.id}`)).body;
    expect(prediction.conditions).toMatchObject({ placeSource: 'assumed', timeZone: 'Europe/Kyiv' });
  });

  it('are refused if its model has been replaced, and the prediction stays', async () => {
    Object.assign(server.analyzer.model, { sha256: '0'.repeat(64) });
    expect(await walker.send('POST', `/v1/predictions/${id}/conditions`, {})).toMatchObject({
      status: 409,
      body: { code: 'MODEL_REPLACED', retryable: false, detail: expect.stringContaining('fake 1') },
    });
    expect((await walker.send('GET', `/v1/predictions/${id}`)).body.prediction.id).toBe(id);
    expect((await walker.send('GET', `/v1/predictions/${id}/export?format=csv`)).status).toBe(200);
  });

  it.each([
    ['half a place', { latitude: 1 }],
    ['a language without names', { language: 'tlh' }],
    ['an unknown field', { overlapSeconds: 1 }],
    ['a wrong date', { date: '2026-02-30' }],
    ['a place source without a place', { placeSource: 'file' }],
    ['a place that says it is assumed', { latitude: 1, longitude: 1, placeSource: 'assumed' }],
    ['an endless time zone', { timeZone: 'x'.repeat(101) }],
    ['a time zone that is no text', { timeZone: 7 }],
  ])('are refused with %s', async (_what, body) => {
    expect(await walker.send('POST', `/v1/predictions/${id}/conditions`, body)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID' },
    });
  });
});
