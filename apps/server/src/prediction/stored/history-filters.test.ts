import { type Candidate, predictionDaysSchema, predictionListSchema, storedPredictionSchema } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;
let other: SignedInUser;
beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  walker = await signUp(server, 'walker@example.org');
  other = await signUp(server, 'other@example.org');
});
afterEach(() => server.close());

const candidate = (scientificName: string, commonName: string): Candidate => ({
  ...{ rank: 1, scientificName, commonName, confidence: 0.8, score: 0.8 },
  confidenceWord: 'likely',
  unusualHere: false,
  occurrence: null,
  best: { startSeconds: 0, endSeconds: 3 },
});
const chiffchaff = candidate('Phylloscopus collybita', 'Zilpzalp');
const tit = candidate('Parus major', 'Kohlmeise');

interface MadeRecording {
  readonly date?: string;
  readonly place?: readonly [latitude: string, longitude: string];
  readonly bird?: Candidate;
}

async function predict(name: string, { date, place, bird = chiffchaff }: MadeRecording = {}, account = walker): Promise<string> {
  server.analyzer.answerWith({ candidates: [bird] });
  const fields = [
    ...(date === undefined ? [] : [field('date', date)]),
    ...(place === undefined ? [] : [field('latitude', place[0]), field('longitude', place[1])]),
  ];
  const { status, body } = await account.predict([file(name, name), ...fields]);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id;
}

async function names(query: string): Promise<(string | null)[]> {
  const { status, body } = await walker.send('GET', `/v1/predictions?${query}`);
  expect(status, query).toBe(200);
  return predictionListSchema.parse(body).predictions.map(({ fileName }) => fileName);
}

describe('The filters of the list of predictions', () => {
  it('combine bird, days and nearness to a place, with pages', async () => {
    await predict('tit.wav', { bird: tit, date: '2026-05-03', place: ['52.52', '13.41'] });
    await predict('april.wav', { date: '2026-04-30' });
    await predict('first.wav', { date: '2026-05-01', place: ['52.5', '13.4'] });
    await predict('last.wav', { date: '2026-05-31', place: ['50.8', '12.9'] });
    await predict('first.wav', { date: '2026-05-01', place: ['52.5', '13.4'] }, other);
    expect(await names('species=Parus+major')).toEqual(['tit.wav']);
    expect(await names('species=Parus')).toEqual([]);
    expect(await names('from=2026-05-01&to=2026-05-31')).toEqual(['last.wav', 'first.wav', 'tit.wav']);
    expect(await names('latitude=52.6&longitude=13.3')).toEqual(['first.wav', 'tit.wav']);
    expect(await names('latitude=52.6&longitude=13.3&species=Phylloscopus+collybita&from=2026-05-01&search=first')).toEqual([
      'first.wav',
    ]);
    const { body } = await walker.send('GET', '/v1/predictions?from=2026-05-01&to=2026-05-31&limit=2');
    expect(await names(`from=2026-05-01&to=2026-05-31&limit=2&cursor=${body.cursor}`)).toEqual(['tit.wav']);
  });

  it('find places on both sides of the date line', async () => {
    await predict('east.wav', { place: ['-16.8', '179.95'] });
    await predict('west.wav', { place: ['-16.8', '-179.95'] });
    await predict('far.wav', { place: ['-16.8', '178'] });
    expect(await names('latitude=-16.8&longitude=180')).toEqual(['west.wav', 'east.wav']);
    expect(await names('latitude=-16.8&longitude=-179.9')).toEqual(['west.wav', 'east.wav']);
  });

  it('find predictions with a confirmed bird, or a corrected one', async () => {
    await predict('said nothing.wav');
    const confirmed = await predict('confirmed.wav');
    const rejected = await predict('rejected.wav');
    const corrected = await predict('corrected.wav', { bird: tit });
    const say = async (id: string, { scientificName }: Candidate, said: object) => {
      const { status } = await walker.send('PUT', `/v1/predictions/${id}/reviews/${scientificName}`, said);
      expect(status).toBe(200);
    };
    await say(confirmed, chiffchaff, { verdict: 'confirmed' });
    await say(rejected, chiffchaff, { verdict: 'rejected' });
    await say(corrected, tit, { verdict: 'corrected', to: 'Troglodytes troglodytes' });
    expect(await names('confirmed=true')).toEqual(['corrected.wav', 'confirmed.wav']);
    expect(await names('species=Phylloscopus+collybita')).toEqual(['confirmed.wav', 'said nothing.wav']);
    expect(await names('species=Troglodytes+troglodytes')).toEqual(['corrected.wav']);
    const rows = await server.database.query.selectFrom('predictionSpecies').select('ownerId').distinct().execute();
    expect(rows).toEqual([{ ownerId: walker.accountId }]);
  });

  it('find the predictions of one recording by its hash', async () => {
    await predict('a.wav');
    const { sha256 } = await server.database.query.selectFrom('predictions').select('sha256').executeTakeFirstOrThrow();
    await predict('b.wav');
    expect(await names(`sha256=${sha256}`)).toEqual(['a.wav']);
    const theirs = await other.send('GET', `/v1/predictions?sha256=${sha256}`);
    expect(theirs.body.predictions).toEqual([]);
  });

  it.each(['latitude=52', 'from=May', 'sha256=abc'])('refuse the query %s', async (query) => {
    expect((await walker.send('GET', `/v1/predictions?${query}`)).status).toBe(400);
  });
});

describe('The days of the history', () => {
  it('are those stated with the recordings, each with its number of predictions, without deleted predictions', async () => {
    await predict('a.wav', { date: '2026-05-01' });
    await predict('b.wav', { date: '2026-05-01' });
    const gone = await predict('c.wav', { date: '2026-04-02' });
    await predict('d.wav', { date: '2025-12-31' });
    await predict('d.wav', { date: '2025-12-31' }, other);
    await walker.send('DELETE', `/v1/predictions/${gone}`);
    const days = async () => predictionDaysSchema.parse((await walker.send('GET', '/v1/predictions/days')).body).days;
    expect(await days()).toEqual([
      { day: '2026-05-01', predictions: 2 },
      { day: '2025-12-31', predictions: 1 },
    ]);
    await walker.send('POST', `/v1/predictions/${gone}/restore`);
    expect(await days()).toHaveLength(3);
  });
});

describe('The species of the history', () => {
  const species = async () => (await walker.send('GET', '/v1/life-list')).body.species;

  it('exclude deleted predictions, and include them again when that is undone', async () => {
    await predict('a.wav');
    const id = await predict('b.wav', { bird: tit });
    await walker.send('DELETE', `/v1/predictions/${id}`);
    expect(await species()).toMatchObject([{ scientificName: 'Phylloscopus collybita' }]);
    await walker.send('POST', `/v1/predictions/${id}/restore`);
    expect(await species()).toHaveLength(2);
  });
});

describe('How often a bird was heard before', () => {
  const heard = async (id: string, account = walker) => {
    const { status, body } = await account.send('GET', `/v1/predictions/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const stored = storedPredictionSchema.parse(body);
    return stored.state === 'done' ? stored.heardBefore : null;
  };
  const of = (bird: Candidate, timesThisYear: number, lastHeardOn: string | null) => ({
    scientificName: bird.scientificName,
    ...{ timesThisYear, lastHeardOn },
  });

  it('is counted within the year of the recording, in the order of days and, on one day, of uploads', async () => {
    const third = await predict('third.wav', { date: '2016-05-20' });
    const first = await predict('first.wav', { date: '2016-03-01' });
    const lastYear = await predict('last year.wav', { date: '2015-12-31' });
    const second = await predict('second.wav', { date: '2016-05-08' });
    const fourth = await predict('same day.wav', { date: '2016-05-20' });
    await predict('tit.wav', { date: '2016-05-10', bird: tit });
    await predict('other.wav', { date: '2016-05-01' }, other);
    const chiffchaffs = await Promise.all([lastYear, first, second, third, fourth].map((id) => heard(id)));
    expect(chiffchaffs).toEqual([
      [of(chiffchaff, 1, null)],
      [of(chiffchaff, 1, '2015-12-31')],
      [of(chiffchaff, 2, '2016-03-01')],
      [of(chiffchaff, 3, '2016-05-08')],
      [of(chiffchaff, 4, '2016-05-20')],
    ]);
    // Without a stated day, the day on which it was sent counts.
    const sent = [await predict('undated.wav'), await predict('again.wav')];
    const [undated, again] = await Promise.all(sent.map((id) => heard(id)));
    expect(undated).toEqual([of(chiffchaff, 1, '2016-05-20')]);
    expect(again).toMatchObject([
      { timesThisYear: 2, lastHeardOn: (await walker.send('GET', '/v1/predictions/days')).body.days[0].day },
    ]);
  });

  it('excludes rejected and deleted birds, and includes confirmed ones', async () => {
    const rejected = await predict('rejected.wav', { date: '2016-05-01' });
    const deleted = await predict('deleted.wav', { date: '2016-05-02' });
    const confirmed = await predict('confirmed.wav', {
      date: '2016-05-03',
      bird: { ...chiffchaff, confidence: 0.2, confidenceWord: 'notSure' },
    });
    const last = await predict('last.wav', { date: '2016-05-04' });
    const path = (id: string) => `/v1/predictions/${id}/reviews/${encodeURIComponent(chiffchaff.scientificName)}`;
    await walker.send('PUT', path(rejected), { verdict: 'rejected' });
    await walker.send('DELETE', `/v1/predictions/${deleted}`);
    expect(await heard(rejected)).toEqual([of(chiffchaff, 0, null)]);
    const before = await heard(last);
    await walker.send('PUT', path(confirmed), { verdict: 'confirmed' });
    expect(await heard(last)).toEqual([of(chiffchaff, 2, '2016-05-03')]);
    expect(before).toEqual([of(chiffchaff, 1, null)]);
    await walker.send('PUT', path(last), { verdict: 'rejected' });
    expect(await heard(last)).toEqual([of(chiffchaff, 1, '2016-05-03')]);
  });

  it('is returned for both birds of an undecided prediction, which is itself counted for neither', async () => {
    const named = [chiffchaff, tit].map((bird) => ({ ...bird, firstSeconds: 0 }));
    const verdict = { kind: 'unsure', tied: true, sentence: '', genus: null, notExpectedHere: null, named } as const;
    server.analyzer.answerWith({ candidates: named, verdict: { ...verdict, named } });
    const tied = (await walker.predict([file('tied')])).body.id;
    expect(await heard(tied)).toEqual([of(chiffchaff, 0, null), of(tit, 0, null)]);
  });
});
