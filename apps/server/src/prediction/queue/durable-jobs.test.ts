import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnalysisService, PredictionError } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { writeObject } from '../../storage/object-storage.ts';
import { FORM_TYPE, field, file, form } from '../../testing/multipart.ts';
import { openRawClient } from '../../testing/raw-client.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { isOnPostgres } from '../../testing/test-database.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';
import { wav } from '../../testing/wav.ts';

let server: TestServer;
let walker: SignedInUser;
const folders: string[] = [];

async function start(options: TestServerOptions = {}): Promise<void> {
  server = await createTestServer(options);
  walker = await signUp(server, 'walker@example.org');
}
afterEach(async () => {
  await server.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const listened = (): string[] => server.analyzer.requests.map(({ content }) => content);
const uploadedNow = async (count: number): Promise<void> =>
  eventually(async () => expect(await server.uploadedFiles()).toHaveLength(count));
const analyzing = (count: number): Promise<void> => eventually(() => expect(listened()).toHaveLength(count));

/** A client whose connection a test can cut. */
async function post(body: Buffer, key: string | null, announcedBytes = body.length) {
  const client = await openRawClient(await origin());
  const keyLine = key === null ? '' : `Idempotency-Key: ${key}\r\n`;
  client.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: ${walker.headers.authorization}\r\n${keyLine}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${announcedBytes}\r\n\r\n`,
  );
  client.write(body);
  return client;
}
const origins = new WeakMap<TestServer, Promise<string>>();
function origin(): Promise<string> {
  const known = origins.get(server) ?? server.listen();
  origins.set(server, known);
  return known;
}

it('The queue answers a recording, and goes on to the next, although a progress callback throws an error', async () => {
  await start({ limits: { jobsPerWorker: 1 } });
  const { release } = server.analyzer.hold();
  const first = walker.predict([file('first')], 'key-1');
  await analyzing(1);
  const fail = (): never => {
    throw new Error('a fault of who follows');
  };
  const { id } = await server.database.query.selectFrom('predictions').select('id').executeTakeFirstOrThrow();
  server.predictions.queue.follow(id, { onOutcome: fail }, new AbortController().signal);
  release();
  expect((await first).status).toBe(200);
  expect((await walker.predict([file('second')], 'key-2')).status).toBe(200);
  expect(server.logged).toContainEqual(expect.objectContaining({ msg: 'one who follows a prediction could not be told of it' }));
});

describe('An idempotency key', () => {
  it('gives the same prediction for the same request, with one analysis', async () => {
    await start();
    const first = await walker.predict([file('sound'), field('top', '3')], 'key-1');
    const again = await walker.predict([field('top', '3'), file('sound')], 'key-1');
    expect(again).toEqual(first);
    expect(listened()).toEqual(['sound']);
    expect((await walker.send('GET', '/v1/predictions/key-1')).body.prediction.id).toBe(first.body.id);
    expect((await walker.send('GET', '/v1/predictions')).body.predictions).toHaveLength(1);
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('makes a repeated request wait for the analysis that is running', async () => {
    await start();
    const gate = server.analyzer.hold();
    const first = walker.predict([file('sound')], 'key-1');
    await analyzing(1);
    const again = walker.predict([file('sound')], 'key-1');
    await eventually(() => expect(server.logged.length).toBeGreaterThan(0));
    gate.release();
    expect((await again).body.id).toBe((await first).body.id);
    expect(listened()).toEqual(['sound']);
  });

  it.each([
    ['recording', [file('another')]],
    ['name', [file('sound', 'evening.wav')]],
    ['field', [file('sound'), field('top', '4')]],
    ['time zone', [file('sound'), field('timeZone', 'Europe/London')]],
  ])('is refused if it is used again with another %s', async (_what, parts) => {
    await start();
    await walker.predict([file('sound')], 'key-1');
    expect(await walker.predict(parts, 'key-1')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('belongs to one account, and another account can use the same key for its own request', async () => {
    await start();
    const other = await signUp(server, 'other@example.org');
    const mine = await walker.predict([file('sound')], 'key-1');
    const theirs = await other.predict([file('another')], 'key-1');
    expect(theirs.status).toBe(200);
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect((await other.send('GET', '/v1/predictions/key-1')).body.prediction.id).toBe(theirs.body.id);
  });

  it('gives the same problem again if the recording failed for good, and analyses the recording again otherwise', async () => {
    await start();
    server.analyzer.failWith(new PredictionError('RECORDING_EMPTY', {}));
    for (const _time of [1, 2]) {
      expect(await walker.predict([file('sound')], 'bad')).toMatchObject({ status: 422, body: { code: 'RECORDING_EMPTY' } });
    }
    expect(listened()).toHaveLength(1);
    expect((await walker.send('GET', '/v1/predictions/bad')).body).toMatchObject({
      state: 'failed',
      problem: { code: 'RECORDING_EMPTY', status: 422 },
    });
    expect((await walker.send('POST', '/v1/predictions/bad/conditions', {})).body.code).toBe('RECORDING_EMPTY');
    server.analyzer.failWith(new Error('broken'));
    expect(await walker.predict([file('sound')], 'key')).toMatchObject({ status: 500 });
    server.analyzer.failWith(null);
    expect(await walker.predict([file('sound')], 'key')).toMatchObject({ status: 200 });
  });

  it('can be used again when the decoder failed, which is logged with its cause', async () => {
    await start();
    server.analyzer.failWith(new PredictionError('DECODER_FAILED', {}, { cause: new Error('ended by SIGKILL') }));
    const failed = { status: 503, body: { code: 'DECODER_FAILED', retryable: true } };
    expect(await walker.predict([file('sound')], 'key')).toMatchObject(failed);
    expect(server.logged.some((line) => JSON.stringify(line).includes('ended by SIGKILL'))).toBe(true);
    server.analyzer.failWith(null);
    expect(await walker.predict([file('sound')], 'key')).toMatchObject({ status: 200 });
  });

  it('can be used for another recording when its prediction was deleted', async () => {
    await start();
    const first = await walker.predict([file('sound')], 'key');
    await walker.send('DELETE', '/v1/predictions/key');
    const second = await walker.predict([file('another')], 'key');
    expect(second.status).toBe(200);
    expect((await walker.send('POST', '/v1/predictions/restore')).body).toEqual({ restored: 1 });
    expect((await walker.send('GET', '/v1/predictions/key')).body.prediction.id).toBe(second.body.id);
    expect((await walker.send('GET', `/v1/predictions/${first.body.id}`)).status).toBe(200);
  });

  it.each(['a b', 'x'.repeat(101), 'ü'])('in another format (%s) is refused', async (key) => {
    await start();
    expect(await walker.predict([file('x')], key)).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
  });
});

describe('A connection lost after a recording or a part of it was sent', () => {
  it('lets a job with an idempotency key continue, and its prediction is stored', async () => {
    await start();
    const gate = server.analyzer.hold();
    const client = await post(form([file('sound')]), 'key');
    await analyzing(1);
    client.cut();
    // biome-ignore lint/plugin: sleeps; to become a gate
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.analyzer.aborted).toBe(0);
    gate.release();
    await eventually(async () => expect((await walker.send('GET', '/v1/predictions/key')).body.state).toBe('done'));
    // The row is done a moment before the upload is finalized.
    await server.settled();
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('discards an incomplete upload with an idempotency key', async () => {
    await start();
    const client = await post(form([file('x'.repeat(10_000))], { end: false }), 'key', 100_000);
    await uploadedNow(1);
    client.cut();
    await eventually(async () => expect(await server.uploadedFiles()).toEqual([]));
    await eventually(async () => expect((await walker.send('GET', '/v1/predictions/key')).status).toBe(404));
    expect(listened()).toEqual([]);
  });

  it('stops a job without an idempotency key, and leaves nothing of it', async () => {
    await start();
    server.analyzer.hold();
    const client = await post(form([file('sound')]), null);
    await analyzing(1);
    client.cut();
    await eventually(() => expect(server.analyzer.aborted).toBe(1));
    await server.settled();
    expect(await server.uploadedFiles()).toEqual([]);
    expect((await walker.send('GET', '/v1/predictions')).body).toEqual({ inWork: [], failed: [], predictions: [], cursor: null });
  });
});

describe('Cancelling a prediction', () => {
  it('stops its analysis, for good', async () => {
    await start();
    server.analyzer.hold();
    const answer = walker.predict([file('sound')], 'key');
    await analyzing(1);
    const inWork = await eventually(async () => {
      const { body } = await walker.send('GET', '/v1/predictions');
      expect(body.inWork).toMatchObject([{ fileName: 'morning.wav', stage: 'listening', fraction: 0.5 }]);
      return body.inWork;
    });
    expect((await walker.send('DELETE', `/v1/predictions/${inWork[0].id}`)).body).toEqual({ deleted: 1, restorableUntil: null });
    expect(await answer).toMatchObject({ status: 409, body: { code: 'PREDICTION_CANCELLED' } });
    expect(server.analyzer.aborted).toBe(1);
    expect(await server.uploadedFiles()).toEqual([]);
    expect((await walker.send('GET', '/v1/predictions/key')).status).toBe(404);
  });

  it('removes its recording from the queue', async () => {
    await start({ limits: { jobsPerWorker: 1 } });
    const gate = server.analyzer.hold();
    const first = walker.predict([file('first')], 'first');
    await analyzing(1);
    const second = walker.predict([file('second')], 'second');
    await uploadedNow(2);
    await eventually(async () => expect((await walker.send('GET', '/v1/predictions')).body.inWork).toHaveLength(2));
    expect((await walker.send('GET', '/v1/predictions/second')).body).toMatchObject({
      state: 'inWork',
      work: { stage: 'queued', fraction: null },
    });
    expect((await walker.send('GET', '/v1/predictions/second/export?format=csv')).body.code).toBe('STILL_LISTENING');
    await walker.send('DELETE', '/v1/predictions/second');
    expect((await second).body.code).toBe('PREDICTION_CANCELLED');
    gate.release();
    expect((await first).status).toBe(200);
    expect(listened()).toEqual(['first']);
  });

  it('stops a job that is just being added to the queue, and is answered only once the job has stopped', async ({ skip }) => {
    skip(isOnPostgres, 'holds the one connection to SQLite');
    await start();
    const { predictions, database } = server;
    const { incoming, queue } = predictions;
    const { accountId } = walker;
    const sender = { accountId, network: '' };
    await using pending = await incoming.begin({ sender, idempotencyKey: 'key', announcedBytes: 1, isRepeated: false });
    const gate = Promise.withResolvers<void>();
    const writer = database.change({}, () => gate.promise);
    const upload = { fileName: 'a.wav', sha256: 'abc', bytes: 1, fields: {}, path: '' };
    const answer = pending
      .becomes(() => queue.add({ pending, upload, fields: {} }))
      .then((job) => job.outcome(new AbortController().signal));
    const deletion = predictions.delete(accountId, 'key');
    gate.resolve();
    expect(await deletion).toEqual({ deleted: 1, restorableUntil: null });
    expect(await database.query.selectFrom('predictions').selectAll().execute()).toEqual([]);
    expect(await answer).toMatchObject({ state: 'failed', problem: { code: 'PREDICTION_CANCELLED' } });
    await writer;
    expect(listened()).toEqual([]);
  });

  it('stops everything that was sent with one idempotency key, also after a lost connection', async () => {
    await start();
    const gate = server.analyzer.hold();
    const first = walker.predict([file('sound')], 'key');
    await analyzing(1);
    const clients = await Promise.all([1, 2].map(() => post(form([file('x'.repeat(1000))], { end: false }), 'key', 100_000)));
    await uploadedNow(3);
    expect((await walker.send('DELETE', '/v1/predictions/key')).body).toMatchObject({ deleted: 3 });
    expect(await first).toMatchObject({ status: 409, body: { code: 'PREDICTION_CANCELLED' } });
    for (const client of clients) {
      expect(await client.until('PREDICTION_CANCELLED')).toMatch(/^HTTP\/1\.1 409 /);
      client.cut();
    }
    gate.release();
    expect((await walker.send('GET', '/v1/predictions/key')).status).toBe(404);
    expect((await walker.send('DELETE', '/v1/predictions/key')).status).toBe(404);
  });

  it('ends an upload that has not fully arrived', async () => {
    await start();
    const client = await post(form([file('x'.repeat(1000))], { end: false }), 'slow', 100_000);
    await eventually(async () => expect((await walker.send('GET', '/v1/predictions/slow')).status).toBe(200));
    expect((await walker.send('GET', '/v1/predictions/slow')).body).toMatchObject({ state: 'inWork', work: { stage: 'queued' } });
    await walker.send('DELETE', '/v1/predictions/slow');
    expect(await client.until('PREDICTION_CANCELLED')).toMatch(/^HTTP\/1\.1 409 /);
    client.cut();
    await uploadedNow(0);
  });
});

describe('A server that starts', () => {
  const left = randomUUID();
  /** Leaves what a killed server would have of this prediction, and starts the next server. */
  async function startAfter(change: object, options: TestServerOptions = {}): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-left-'));
    folders.push(dataDir);
    await start({ dataDir });
    await server.database.change({}, (query) =>
      query
        .insertInto('predictions')
        .values({
          ...{ id: left, accountId: walker.accountId, idempotencyKey: 'key', requestHash: '', createdAtMs: 1, state: 'queued' },
          ...{
            fields: '{"top":2}',
            fileName: 'left.wav',
            sha256: 'abc',
            bytes: 11,
            uploadName: 'recording',
            attempts: 0,
          },
          ...change,
        })
        .execute(),
    );
    for (const name of ['recording', ...(server.storage.isShared ? [] : ['recording.checkpoint/0', 'orphan'])]) await leave(name);
    await server.close();
    server = await createTestServer({ dataDir, ...options });
    return dataDir;
  }
  /** Leaves an upload of an earlier run. */
  const leave = (name: string, content: string | Buffer = 'left behind'): Promise<void> =>
    writeObject(server.storage, `uploads/${name}`, (path) => writeFile(path, content));
  const stateOf = async () => (await server.app.inject({ url: `/v1/predictions/${left}`, headers: walker.headers })).json();
  const isDone = () => eventually(async () => expect((await stateOf()).state).toBe('done'));

  it('continues the jobs of a killed process', async () => {
    await startAfter({});
    await isDone();
    expect(server.analyzer.requests).toMatchObject([{ content: 'left behind', fileName: 'left.wav', top: 2, sha256: 'abc' }]);
  });

  it.skipIf(isOnPostgres)('removes uploaded files that no row of the database owns (with one machine)', async () => {
    await startAfter({});
    await isDone();
    await uploadedNow(0);
  });

  it.skipIf(isOnPostgres)('discards jobs without an idempotency key, whose connection is gone (with one machine)', async () => {
    await startAfter({ idempotencyKey: null });
    expect(await stateOf()).toMatchObject({ status: 404 });
    expect(await server.uploadedFiles()).toEqual([]);
    expect(server.analyzer.requests).toEqual([]);
  });

  it('prepares kept audio of a prediction whose process was killed before preparing it', async () => {
    const dataDir = await startAfter({});
    await isDone();
    const named = server.database.query.selectFrom('predictions').select('uploadName');
    await eventually(async () => expect(await named.execute()).toEqual([{ uploadName: null }]));
    await server.database.change({}, (query) =>
      query
        .updateTable('predictions')
        .set({ uploadName: 'sound', finishedAtMs: 1, fields: '{"keepAudio":"recording"}' })
        .execute(),
    );
    await leave('sound', wav(3));
    await server.close();
    server = await createTestServer({ dataDir });
    expect((await stateOf()).keptAudio).toMatchObject({ kind: 'recording' });
    expect(await server.uploadedFiles()).not.toContain('sound');
  });

  it('keeps jobs in the queue while no model is installed, and answers them once one is', async () => {
    let isInstalled = false;
    const missing = [{ code: 'MODEL_NOT_INSTALLED', advice: '' }] as const;
    const changeService = (service: AnalysisService): AnalysisService => ({
      ...service,
      load: async () => (isInstalled ? service.load() : { missing }),
    });
    await startAfter({}, { changeService });
    expect(await stateOf()).toMatchObject({ state: 'inWork', work: { stage: 'queued' } });
    isInstalled = true;
    await eventually(async () => expect((await stateOf()).state).toBe('done'));
  });
});

describe('A server that stops', () => {
  it('returns jobs with an idempotency key to the queue, for the next server', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-end-'));
    folders.push(dataDir);
    await start({ dataDir });
    server.analyzer.hold();
    const client = await post(form([file('sound')]), 'key');
    await analyzing(1);
    client.cut();
    await server.close();
    server = await createTestServer({ dataDir });
    await analyzing(1);
    await eventually(async () => {
      const row = await server.database.query.selectFrom('predictions').select(['state', 'attempts']).executeTakeFirst();
      expect(row).toEqual({ state: 'done', attempts: 0 });
    });
  });
});
