import { samplePrediction } from '@chiffchaff/analysis/testing';
import {
  type Candidate,
  lifeListSchema,
  predictionListSchema,
  predictionSchema,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';
import type { AnsweredRecording } from '../audio/audio-retention.ts';

let server: TestServer;
let walker: SignedInUser;
let other: SignedInUser;

async function start(options: TestServerOptions = {}): Promise<void> {
  server = await createTestServer({ ...options, environment: { OPEN_PREDICTION: 'false', ...options.environment } });
  walker = await signUp(server, 'walker@example.org');
  other = await signUp(server, 'other@example.org');
}

afterEach(() => server.close());

const candidate = (scientificName: string, commonName: string, confidence: number, rank = 1): Candidate => ({
  ...{ rank, scientificName, commonName, confidence },
  score: confidence,
  confidenceWord: 'likely',
  unusualHere: false,
  occurrence: null,
  best: { startSeconds: 0, endSeconds: 3 },
});
const chiffchaff = candidate('Phylloscopus collybita', 'Zilpzalp', 0.8);
const tit = candidate('Parus major', 'Kohlmeise', 0.6, 2);
const unsure = candidate('Sitta europaea', 'Kleiber', 0.3, 3);

/** Sends recordings with these names. @returns the ids of their predictions, oldest first */
async function predictAll(account: SignedInUser, ...names: string[]): Promise<string[]> {
  const ids = [];
  for (const name of names) ids.push((await account.predict([file(name, name)])).body.id);
  return ids;
}
const confirmChiffchaff = (account: SignedInUser, id: string) =>
  account.send('PUT', `/v1/predictions/${id}/reviews/Phylloscopus%20collybita`, { verdict: 'confirmed' });
const rows = async (): Promise<number> => (await server.database.query.selectFrom('predictions').select('id').execute()).length;

describe('A prediction of an account', () => {
  it('is stored before it is returned, and found again by its id', async () => {
    await start();
    const { body } = await walker.predict([file('sound'), field('language', 'de')]);
    const found = storedPredictionSchema.parse((await walker.send('GET', `/v1/predictions/${body.id}`)).body);
    expect(found).toEqual({
      state: 'done',
      prediction: predictionSchema.parse(body),
      keptAudio: null,
      conditionsChanged: false,
      heardBefore: [],
    });
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('is stored for an account, and not stored for a visitor without one', async () => {
    await start({ environment: { OPEN_PREDICTION: 'true' } });
    const open = await server.app.inject({
      method: 'POST',
      url: '/get_prediction',
      headers: { 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': 'mine' },
      payload: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nsound\r\n--x--\r\n',
    });
    expect(open.statusCode).toBe(200);
    expect(await rows()).toBe(0);
    await walker.predict([file('sound')]);
    expect(await rows()).toBe(1);
  });

  it('belongs to its owner: every route answers 404 to others and 401 without a token', async () => {
    await start();
    const [id = ''] = await predictAll(walker, 'a.wav');
    const routes = [
      ['GET', `/v1/predictions/${id}`],
      ['GET', `/v1/predictions/${id}/events`],
      ['GET', `/v1/predictions/${id}/export?format=csv`],
      ['POST', `/v1/predictions/${id}/conditions`, {}],
      ['POST', `/v1/predictions/${id}/restore`],
      ['DELETE', `/v1/predictions/${id}`],
    ] as const;
    for (const [method, url, body] of routes) {
      expect(await other.send(method, url, body), url).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      const anonymous = await server.app.inject({ method, url, ...(body ? { payload: body } : {}) });
      expect(anonymous.statusCode, url).toBe(401);
    }
    await other.send('DELETE', '/v1/predictions');
    expect((await other.send('GET', '/v1/predictions')).body).toEqual({ inWork: [], failed: [], predictions: [], cursor: null });
    expect((await other.send('GET', '/v1/life-list')).body).toEqual({ species: [], imported: 0 });
    expect((await walker.send('GET', `/v1/predictions/${id}`)).status).toBe(200);
    for (const [method, url] of [
      ['GET', '/v1/predictions'],
      ['GET', '/v1/life-list'],
      ['DELETE', '/v1/predictions'],
      ['POST', '/v1/predictions/restore'],
    ] as const) {
      expect((await server.app.inject({ method, url })).statusCode, url).toBe(401);
    }
  });

  it('is not stored if the recording cannot be read', async () => {
    await start();
    server.analyzer.failWith(new Error('broken'));
    expect((await walker.predict([file('x')])).status).toBe(500);
    expect(await rows()).toBe(0);
  });
});

describe('The list of predictions', () => {
  it('begins with the newest prediction, and its pages contain none twice', async () => {
    await start();
    const ids = await predictAll(walker, 'a.wav', 'b.wav', 'c.wav', 'd.wav', 'e.wav');
    const seen = [];
    let cursor: string | null = '';
    for (let page = 0; page < 3; page += 1) {
      const answer = await walker.send('GET', `/v1/predictions?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      const list = predictionListSchema.parse(answer.body);
      seen.push(...list.predictions.map(({ id }) => id));
      cursor = list.cursor;
    }
    expect(cursor).toBeNull();
    expect(seen).toEqual(ids.reverse());
  });

  it('shows and finds only birds of at least 0.5 confidence, and finds predictions by parts of words of the file name, too', async () => {
    await start();
    server.analyzer.answerWith({ candidates: [chiffchaff, tit, unsure] });
    await predictAll(walker, 'Früh am Teich.wav');
    server.analyzer.answerWith({ candidates: [tit] });
    await predictAll(walker, 'mittags.wav');
    const find = async (search: string) => {
      const { body } = await walker.send('GET', `/v1/predictions?search=${encodeURIComponent(search)}`);
      return predictionListSchema.parse(body).predictions.map(({ fileName }) => fileName);
    };
    expect(await find('zilpzalp')).toEqual(['Früh am Teich.wav']);
    expect(await find('PHYLLO coll')).toEqual(['Früh am Teich.wav']);
    expect(await find('fruh teich')).toEqual(['Früh am Teich.wav']);
    expect(await find('kohlmeise')).toEqual(['mittags.wav', 'Früh am Teich.wav']);
    expect(await find('meise')).toEqual(['mittags.wav', 'Früh am Teich.wav']);
    expect(await find('tt')).toEqual([]);
    expect(await find('kleiber')).toEqual([]);
    expect(await find('100%_')).toEqual([]);
    const { body } = await walker.send('GET', '/v1/predictions');
    expect(body.predictions[1].species).toEqual([
      { scientificName: 'Phylloscopus collybita', commonName: 'Zilpzalp', confidence: 0.8 },
      { scientificName: 'Parus major', commonName: 'Kohlmeise', confidence: 0.6 },
    ]);
  });

  it('gives the life list each species once, with the first prediction that has it and its latest name', async () => {
    await start();
    server.analyzer.answerWith({ candidates: [chiffchaff, tit] });
    await predictAll(walker, 'a.wav');
    server.analyzer.answerWith({ candidates: [{ ...tit, commonName: 'Great Tit' }, unsure] });
    const [second = ''] = await predictAll(walker, 'b.wav');
    const { species } = lifeListSchema.parse((await walker.send('GET', '/v1/life-list')).body);
    const { predictions } = predictionListSchema.parse((await walker.send('GET', '/v1/predictions')).body);
    const sentAt = predictions[1]?.createdAt ?? '';
    const first = { on: sentAt.slice(0, 10), sentAt, place: null, confirmed: false, predictionId: predictions[1]?.id };
    const seen = (confidence: number) => ({ first: { ...first, confidence }, firstThisYear: { ...first, confidence } });
    expect(predictions.map(({ recordedOn }) => recordedOn)).toEqual([null, null]);
    expect(species).toEqual([
      {
        scientificName: 'Parus major',
        commonName: 'Great Tit',
        ...seen(0.6),
        predictions: 2,
        confirmedPredictions: 0,
      },
      {
        scientificName: 'Phylloscopus collybita',
        commonName: 'Zilpzalp',
        ...seen(0.8),
        predictions: 1,
        confirmedPredictions: 0,
      },
    ]);
    await walker.send('DELETE', `/v1/predictions/${second}`);
    expect((await walker.send('GET', '/v1/life-list')).body.species).toMatchObject([
      { commonName: 'Kohlmeise', predictions: 1 },
      { commonName: 'Zilpzalp' },
    ]);
  });

  it('shows all birds that a verdict names, even if they are no candidates; the life list dates them by the stated day', async () => {
    await start();
    const named = [chiffchaff, { ...tit, confidence: 0.9 }].map((bird) => ({ ...bird, firstSeconds: 0 }));
    server.analyzer.answerWith({ candidates: [chiffchaff], verdict: { ...samplePrediction().verdict, named } });
    await walker.predict([file('sound'), field('date', '2026-05-01')]);
    expect((await walker.send('GET', '/v1/predictions')).body.predictions[0].species).toMatchObject([
      { commonName: 'Kohlmeise', confidence: 0.9 },
      { commonName: 'Zilpzalp', confidence: 0.8 },
    ]);
    expect((await walker.send('GET', '/v1/life-list')).body.species).toMatchObject([
      { commonName: 'Kohlmeise', first: { on: '2026-05-01', sentAt: null, confidence: 0.9 } },
      { commonName: 'Zilpzalp', first: { on: '2026-05-01', sentAt: null } },
    ]);
    const { predictions } = (await walker.send('GET', '/v1/predictions')).body;
    expect(predictions[0].recordedOn).toBe('2026-05-01');
    // The stated day is the day it was sent, and still counts as stated.
    const today = predictions[0].createdAt.slice(0, 10);
    server.analyzer.answerWith({ candidates: [{ ...tit, scientificName: 'Parus minor', confidence: 0.9 }] });
    await walker.predict([file('sound'), field('date', today)]);
    const { species } = lifeListSchema.parse((await walker.send('GET', '/v1/life-list')).body);
    expect(species[0]).toMatchObject({ scientificName: 'Parus minor', first: { on: today, sentAt: null } });
  });

  it('shows the names of birds in the requested language, and its search finds these names', async () => {
    await start();
    server.analyzer.answerWith({ candidates: [chiffchaff, tit] });
    await predictAll(walker, 'a.wav');
    const list = async (query: string) => {
      const { predictions } = predictionListSchema.parse((await walker.send('GET', `/v1/predictions?${query}`)).body);
      return predictions.map(({ species }) => species.map(({ commonName }) => commonName));
    };
    expect(await list('language=pt')).toEqual([['Felosinha-comum', 'Kohlmeise']]);
    expect(await list('language=pt&search=sinha')).toHaveLength(1);
    expect(await list('language=pt&search=comum')).toHaveLength(1);
    expect(await list('language=pt&search=zilpzalp')).toHaveLength(1);
    expect(await list('language=pt&search=rotkehlchen')).toEqual([]);
    expect(await list('search=comum')).toEqual([]);
    const { body } = await walker.send('GET', '/v1/life-list?language=pt');
    expect(
      lifeListSchema
        .parse(body)
        .species.map(({ commonName }) => commonName)
        .sort(),
    ).toEqual(['Felosinha-comum', 'Kohlmeise']);
    expect((await walker.send('GET', '/v1/predictions?language=xx')).status).toBe(400);
  });

  it.each(['limit=0', 'limit=201', 'limit=x'])('refuses the query %s', async (query) => {
    await start();
    expect(await walker.send('GET', `/v1/predictions?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID' },
    });
  });

  it('begins with the newest prediction if the cursor is invalid', async () => {
    await start();
    await predictAll(walker, 'a.wav');
    expect((await walker.send('GET', '/v1/predictions?cursor=%00%ff')).body.predictions).toHaveLength(1);
  });
});

describe('Deleting predictions', () => {
  it('can be undone for a while, both for one prediction and for all', async () => {
    await start();
    const [first = '', second = ''] = await predictAll(walker, 'a.wav', 'b.wav');
    const deleted = await walker.send('DELETE', `/v1/predictions/${first}`);
    expect(deleted).toMatchObject({ status: 200, body: { deleted: 1 } });
    expect(Date.parse(deleted.body.restorableUntil)).toBeGreaterThan(Date.now() + 50_000);
    expect((await walker.send('GET', `/v1/predictions/${first}`)).status).toBe(404);
    expect((await walker.send('DELETE', `/v1/predictions/${first}`)).status).toBe(404);
    expect((await other.send('POST', `/v1/predictions/${first}/restore`)).status).toBe(404);
    expect((await walker.send('POST', `/v1/predictions/${first}/restore`)).body).toEqual({ restored: 1 });
    expect((await walker.send('DELETE', '/v1/predictions')).body).toMatchObject({ deleted: 2 });
    expect((await walker.send('GET', '/v1/predictions')).body.predictions).toEqual([]);
    expect((await walker.send('POST', '/v1/predictions/restore')).body).toEqual({ restored: 2 });
    const list = (await walker.send('GET', '/v1/predictions')).body.predictions;
    expect(list.map(({ id }: { id: string }) => id)).toEqual([second, first]);
  });

  it('is final once it can no longer be undone, with evidence, species and audio, even if the server was down', async () => {
    await start({ limits: { restorableMs: 0 } });
    const forget = vi.spyOn(server.sounds, 'forget');
    server.analyzer.answerWith({ candidates: [chiffchaff] });
    const [id = ''] = await predictAll(walker, 'a.wav');
    await confirmChiffchaff(walker, id);
    await walker.send('DELETE', `/v1/predictions/${id}`);
    expect((await walker.send('POST', `/v1/predictions/${id}/restore`)).status).toBe(404);
    await server.predictions.sweep();
    for (const table of ['predictions', 'predictionEvidence', 'predictionSpecies', 'predictionReviews'] as const) {
      expect(await server.database.query.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    expect(forget.mock.calls.map(([, forgotten]) => forgotten)).toEqual([id]);
  });

  it('of an account removes everything of it, and nothing of other accounts', async () => {
    await start();
    server.analyzer.answerWith({ candidates: [chiffchaff] });
    const [own = ''] = await predictAll(walker, 'a.wav', 'b.wav');
    const [kept = ''] = await predictAll(other, 'c.wav');
    for (const [account, id] of [[walker, own] as const, [other, kept] as const]) await confirmChiffchaff(account, id);
    const held = server.analyzer.hold();
    const inWork = walker.predict([file('in work')], 'key');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(4));
    expect((await walker.send('GET', '/v1/account/export')).body.predictions).toHaveLength(2);
    await server.app.inject({ method: 'POST', url: '/v1/accounts:delete?key=any', payload: { idToken: walker.token } });
    expect(await inWork).toMatchObject({ status: 409, body: { code: 'PREDICTION_CANCELLED' } });
    held.release();
    expect(await rows()).toBe(1);
    for (const table of ['predictionEvidence', 'predictionSpecies', 'predictionReviews'] as const) {
      const left = await server.database.query.selectFrom(table).select('predictionId').distinct().execute();
      expect(left, table).toEqual([{ predictionId: kept }]);
    }
    expect(await server.uploadedFiles()).toEqual([]);
    expect((await other.send('GET', `/v1/predictions/${kept}`)).status).toBe(200);
  });

  it('sent until a given time leaves what was sent later, with its public link', async () => {
    await start();
    const ids = await predictAll(walker, 'early.wav', 'late.wav');
    const { query } = server.database;
    for (const [index, id] of ids.entries()) {
      expect((await walker.send('POST', `/v1/predictions/${id}/links`, { sound: false })).status).toBe(200);
      await server.database.change({}, (step) =>
        step
          .updateTable('predictions')
          .set({ createdAtMs: 1000 + index })
          .where('id', '=', id)
          .execute(),
      );
    }
    await server.predictions.deleteAccount(walker.accountId, 1000);
    const { predictions } = predictionListSchema.parse((await walker.send('GET', '/v1/predictions')).body);
    expect(predictions.map(({ fileName }) => fileName)).toEqual(['late.wav']);
    expect(await query.selectFrom('predictionLinks').select('predictionId').execute()).toEqual([{ predictionId: ids[1] }]);
    expect(await rows()).toBe(1);
  });

  it('in large numbers lets other work run after each batch, and continues after an interruption', async () => {
    await start();
    const [id = ''] = await predictAll(walker, 'a.wav');
    const { database, predictions } = server;
    const parts = Array.from({ length: 30 }, (_, part) => ({ predictionId: id, part: part + 100, bytes: Buffer.alloc(1000) }));
    await database.change({}, (query) => query.insertInto('predictionEvidence').values(parts).execute());
    let turns = Number.NaN;
    const breakOff = new AbortController();
    const takeTurn = (): void => {
      turns += 1;
      if (turns === 10) breakOff.abort();
      if (!breakOff.signal.aborted) setImmediate(takeTurn);
    };
    takeTurn();
    await predictions.store.removeAccount(walker.accountId);
    expect((await walker.send('GET', '/v1/predictions')).body.predictions).toEqual([]);
    turns = 0;
    await predictions.store.purge(id, breakOff.signal);
    const left = await database.query.selectFrom('predictionEvidence').select('part').execute();
    expect(left.length).toBeGreaterThan(10);
    expect(await rows()).toBe(1);
    expect((await walker.send('POST', '/v1/predictions/restore')).body).toEqual({ restored: 0 });
    await predictions.sweep();
    expect(await rows()).toBe(0);
    expect(await database.query.selectFrom('predictionEvidence').select('part').execute()).toEqual([]);
  });

  it('of an account removes audio that is just being stored, and audio that a killed process left', async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await start();
    const forget = vi.spyOn(server.sounds, 'forget');
    vi.spyOn(server.sounds, 'keepSound').mockImplementation(async () => {
      asked.resolve();
      await gate.promise;
    });
    const settling = walker.predict([file('sound')], 'key');
    await asked.promise;
    await server.app.inject({ method: 'POST', url: '/v1/accounts:delete?key=any', payload: { idToken: walker.token } });
    const before = forget.mock.calls.length;
    gate.resolve();
    await settling;
    await eventually(() => expect(forget).toHaveBeenCalledTimes(before + 1));

    const left = { id: 'sound', accountId: 'gone', predictionId: 'gone with its account', createdAtMs: 1, moments: '[]' };
    await server.database.change({}, (query) =>
      query
        .insertInto('keptSounds')
        .values({ ...left, recordingUntilMs: 9, momentsUntilMs: null, durationSeconds: 1, channels: 1, asSentType: null })
        .execute(),
    );
    await server.predictions.sweep();
    expect(forget.mock.calls.slice(before + 1)).toEqual([['gone', 'gone with its account']]);
  });
});

describe('The export of a prediction', () => {
  it.each([
    ['csv', 'text/csv', 'Start (s),End (s)'],
    ['raven', 'text/tab-separated-values', 'Selection\tView'],
    ['audacity', 'text/plain', '1.500000\t4.500000\tZilpzalp 0.70'],
    ['json', 'application/json', '"id"'],
  ])('is written as %s', async (format, type, beginning) => {
    await start();
    const detection = { ...chiffchaff, startSeconds: 1.5, endSeconds: 4.5, score: 0.7, hidden: false };
    server.analyzer.answerWith({ detections: [detection] });
    const [id = ''] = await predictAll(walker, 'Teich früh%.wav');
    const answer = await walker.send('GET', `/v1/predictions/${id}/export?format=${format}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain(type);
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="Teich fr_h_\..+"; filename\*=UTF-8''Teich%20/);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.text).toContain(beginning);
  });

  it.each(['csv', 'raven', 'audacity', 'json'])(
    'as %s excludes birds hidden by location, unless they are requested',
    async (format) => {
      await start();
      const times = { startSeconds: 1.5, endSeconds: 4.5 };
      const cardinal = { scientificName: 'Cardinalis cardinalis', commonName: 'Rotkardinal', score: 0.94, confidence: 0 };
      server.analyzer.answerWith({
        detections: [
          { ...chiffchaff, ...times, score: 0.7, occurrence: 0.5, hidden: false },
          { ...cardinal, ...times, occurrence: 0, hidden: true },
        ],
      });
      const [id = ''] = await predictAll(walker, 'garden.wav');
      const read = async (query: string) =>
        (await walker.send('GET', `/v1/predictions/${id}/export?format=${format}${query}`)).text;
      for (const query of ['', '&showHidden=false']) {
        expect(await read(query)).toContain('Zilpzalp');
        expect(await read(query)).not.toContain('Rotkardinal');
      }
      expect(await read('&showHidden=true')).toContain('Rotkardinal');
      expect(await read('&showHidden=yes')).toContain('REQUEST_INVALID');
      // The answer itself contains everything, for the page to mark.
      expect((await walker.send('GET', `/v1/predictions/${id}`)).text).toContain('Rotkardinal');
    },
  );

  it('has the stated day, and alters a file name only for spreadsheets', async () => {
    await start();
    server.analyzer.answerWith({
      detections: [{ ...chiffchaff, startSeconds: 1.5, endSeconds: 4.5, score: 0.7, hidden: false }],
    });
    const { body } = await walker.predict([file('x', '=1+1.wav'), field('date', '2026-05-01')]);
    const read = async (query: string) => (await walker.send('GET', `/v1/predictions/${body.id}/export?format=csv${query}`)).text;
    expect(await read('')).toContain(',FALSE,=1+1.wav,,,2026-05-01,17,0.25,');
    expect(await read('&excelSafe=true')).toContain(",FALSE,'=1+1.wav,");
  });
});

describe('The audio of a stored prediction', () => {
  it('is prepared to be kept once the prediction is stored; if that fails, prediction and recording stay for the next attempt', async () => {
    const heard: (AnsweredRecording & { readonly stored: number })[] = [];
    await start();
    vi.spyOn(server.sounds, 'keepSound').mockImplementation(async (sound) => {
      heard.push({ ...sound, stored: await rows() });
      throw new Error('no room');
    });
    const kept = { kind: 'moments', keptUntil: '2026-12-01T00:00:00.000Z' } as const;
    vi.spyOn(server.predictions, 'keptAudioOf').mockImplementation(
      async (_accountId, ids = []) => new Map(ids.map((id) => [id, kept])),
    );
    const { status, body } = await walker.predict([file('x'), field('keepAudio', 'moments'), field('listeningCopy', 'true')]);
    expect(status).toBe(200);
    // With several machines, the answer does not wait for this.
    await eventually(() =>
      expect(heard).toMatchObject([
        { accountId: walker.accountId, predictionId: body.id, keepAudio: 'moments', listeningCopy: true, stored: 1 },
      ]),
    );
    expect((await walker.send('GET', `/v1/predictions/${body.id}`)).body.keptAudio).toEqual(kept);
    expect((await walker.send('GET', '/v1/predictions')).body.predictions[0].keptAudio).toEqual(kept);
    await server.predictions.queue.settled();
    expect(await server.uploadedFiles()).toHaveLength(1);
  });
});
