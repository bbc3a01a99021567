import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { denseEvidence, modelFolderPath } from '@chiffchaff/analysis/testing';
import { MOST_DETECTIONS, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { encodeEvidenceInPieces } from '@chiffchaff/recognizer';
import { fingerprintOf, readModelFolder } from '@chiffchaff/recognizer/node';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { samplePredictionFor } from '../../testing/fake-analyzer.ts';
import { file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;
let id: string;

/** The most detections that an answer has, and how many it says that it leaves out. */
const count = MOST_DETECTIONS;
const leftOut = 7;
/** How many answers the main thread has parsed, where all requests wait for that. Everything else that it parses is short. */
const parsedHere = (): number => vi.mocked(JSON.parse).mock.calls.filter(([text]) => text.length > 1_000_000).length;
const deflated = promisify(deflate);

/** Stores an answer of a model that is not installed. */
async function storeLargeAnswer(parts: Partial<Prediction> = {}): Promise<void> {
  const detections = Array.from({ length: count }, (_, index) => ({
    ...{ scientificName: `Avis numero ${index % 2000}`, commonName: `Vogel ${index % 2000}` },
    ...{ startSeconds: index / 500, endSeconds: index / 500 + 3, score: (index % 997) / 1000 },
    ...{ confidence: 0.1, occurrence: null, hidden: false },
  }));
  const { model, recording: short, ...rest } = samplePredictionFor({ path: '', fileName: 'dense.mp3' });
  const recording = { ...short, durationSeconds: count / 500 + 3 };
  const replaced = { ...model, sha256: '0'.repeat(64) };
  const prediction = { ...rest, recording, model: replaced, id, detections, detectionsLeftOut: leftOut, ...parts };
  const answer = await deflated(JSON.stringify(prediction));
  await server.database.change({}, (query) => query.updateTable('predictions').set({ answer }).where('id', '=', id).execute());
}

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  walker = await signUp(server, 'walker@example.org');
  id = (await walker.predict([file('sound', 'dense.mp3')])).body.id;
  await storeLargeAnswer();
  vi.spyOn(JSON, 'parse');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const get = (url: string) => server.app.inject({ url, headers: walker.headers });

it('A large stored answer is opened in a thread, one at a time for an account, and requests beyond a few are refused temporarily', async () => {
  const asked = await Promise.all(Array.from({ length: 12 }, () => get(`/v1/predictions/${id}`)));
  expect(parsedHere()).toBe(0);
  const statuses = asked.map(({ statusCode }) => statusCode);
  // One is opened and four wait. If one is done before the last request, another has room.
  const opened = asked.filter(({ statusCode }) => statusCode === 200);
  expect(opened.length).toBeGreaterThanOrEqual(5);
  expect(opened[0]?.json().prediction).toMatchObject({ id, detections: { length: count }, detectionsLeftOut: leftOut });
  const refused = asked.filter(({ statusCode }) => statusCode === 503);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(refused[0]?.json()).toMatchObject({ code: 'SERVER_BUSY' });
  expect(refused[0]?.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) });
});

it('A large stored answer is complete in its tables, and its JSON says how many detections it leaves out', async () => {
  const exported = (format: string) => get(`/v1/predictions/${id}/export?format=${format}`);
  expect((await exported('csv')).body.trimEnd().split('\n')).toHaveLength(1 + count);
  expect((await exported('raven')).body.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`^${count}\t`));
  const json = await exported('json');
  expect(parsedHere()).toBe(0);
  expect(json.json()).toMatchObject({ detections: { length: count }, detectionsLeftOut: leftOut });
});

it('A large stored answer is complete in the exports of all predictions, which are made one after another', async () => {
  const zip = () => server.app.inject({ url: '/v1/predictions/export', headers: walker.headers });
  const asked = await Promise.all(Array.from({ length: 8 }, () => walker.send('GET', '/v1/account/export')));
  expect(asked.filter(({ status }) => status === 200)).toMatchObject([{ body: { predictions: [{ id }] } }]);
  for (const { status, body } of asked) if (status !== 200) expect(body.code).toBe('EXPORT_UNDER_WAY');
  expect(await walker.send('GET', '/v1/account/export')).toMatchObject({ status: 200, body: { predictions: [{ id }] } });
  expect((await zip()).rawPayload.length).toBe((await zip()).rawPayload.length);
}, 240_000);

it('A large stored answer is opened for other accounts although one account requests all of its own a hundred times', async () => {
  const other = await signUp(server, 'other@example.org');
  const theirs = (await other.predict([file('sound', 'theirs.mp3')])).body.id;
  const { answer } = await server.database.query
    .selectFrom('predictions')
    .select('answer')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await server.database.change({}, (query) =>
    query.updateTable('predictions').set({ answer }).where('id', '=', theirs).execute(),
  );
  const attack = Promise.all(Array.from({ length: 100 }, () => walker.send('GET', '/v1/account/export')));
  for (let asked = 0; asked < 3; asked += 1) {
    expect((await other.send('GET', `/v1/predictions/${theirs}`)).status).toBe(200);
  }
  await attack;
}, 240_000);

it('A large stored answer is not opened on the server’s main thread for the event stream, new conditions or an export', async () => {
  const events = await get(`/v1/predictions/${id}/events`);
  expect(events.body).toContain(`"detectionsLeftOut":${leftOut}`);
  // The installed model is not the one in the row.
  const conditions = await walker.send('POST', `/v1/predictions/${id}/conditions`, { minScore: 0.5 });
  expect(conditions).toMatchObject({ status: 409, body: { code: 'MODEL_REPLACED' } });
  const all = await get('/v1/account/export');
  expect(parsedHere()).toBe(0);
  expect(all.json().predictions).toMatchObject([{ detections: { length: count } }]);
});

it('A large stored answer has all detections in its tables, and its evidence gives a prediction for new conditions', async () => {
  const { model } = samplePredictionFor({ path: '', fileName: null });
  await storeLargeAnswer({ model, detectionsLeftOut: 4 });
  // The thread concludes only with the model that the server has loaded.
  const { manifest } = await readModelFolder(modelFolderPath);
  Object.assign(server.analyzer, { fingerprint: fingerprintOf(manifest) });
  const bytes = await deflated(Buffer.concat([...encodeEvidenceInPieces(denseEvidence())]));
  await server.database.change({}, (query) => query.deleteFrom('predictionEvidence').where('predictionId', '=', id).execute());
  const halves = [bytes.subarray(0, 5000), bytes.subarray(5000)];
  for (const [part, half] of halves.entries()) {
    await server.database.change({}, (query) =>
      query.insertInto('predictionEvidence').values({ predictionId: id, part, bytes: half }).execute(),
    );
  }
  const birds = 6522 - 101;
  const csv = await walker.send('GET', `/v1/predictions/${id}/export?format=csv`);
  const rows = csv.text.trimEnd().split('\n');
  expect(rows).toHaveLength(1 + 4 * birds);
  expect(rows[1]).toMatch(/^0,3,/);
  const answer = await walker.send('POST', `/v1/predictions/${id}/conditions`, { language: 'de' });
  expect(predictionSchema.parse(answer.body)).toMatchObject({
    id,
    conditions: { language: 'de', overlapSeconds: 1.5 },
    detections: { length: MOST_DETECTIONS },
    detectionsLeftOut: 4 * birds - MOST_DETECTIONS,
  });
});
