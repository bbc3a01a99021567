import { eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disable } from '../admin/disable.ts';
import { isPostgres } from '../database/open-database.ts';
import { keepBusy } from '../testing/keep-busy.ts';
import { FORM_TYPE, file, form } from '../testing/multipart.ts';
import { openRawClient } from '../testing/raw-client.ts';
import { openServerData } from '../testing/server-data.ts';
import { type SignedInUser, signUp } from '../testing/signed-in.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { isS3Installed, startS3, type TestS3 } from '../testing/start-s3.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { nowMs } from './heartbeat.ts';

const canRun = isPostgresInstalled() && isS3Installed();

describe.skipIf(!canRun)('Two servers with one database (need Debian’s postgresql and JuiceFS)', () => {
  let postgres: TestPostgres;
  let storage: TestS3;
  let environment: Record<string, string>;
  let here: TestServer;
  let there: TestServer;
  let origin: string;
  let ann: SignedInUser;
  beforeAll(async () => {
    [postgres, storage] = await Promise.all([startPostgres(), startS3()]);
    environment = { ...storage.environment, DATABASE_URL: (await createTestDatabase(postgres.url)).url };
    [here, there] = await Promise.all([createTestServer({ environment }), createTestServer({ environment })]);
    origin = await there.listen();
    ann = await signUp(here, 'ann@example.org');
  }, 60_000);
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await Promise.all([postgres.stop(), storage.stop()]);
  });
  const askThere = (method: 'GET' | 'DELETE', url: string) => there.app.inject({ method, url, headers: ann.headers });

  it('know each other’s sessions and tickets, and end requests of sessions that end on the other', async () => {
    expect((await askThere('GET', '/v1/account/sessions')).statusCode).toBe(200);
    const bob = await signUp(here, 'bob@example.org');
    const { body: ticket } = await bob.send('POST', '/v1/predictions/ticket');
    expect((await there.app.inject({ url: ticket.url })).statusCode).toBe(200);
    const gate = here.analyzer.hold();
    const otherGate = there.analyzer.hold();
    const answer = bob.predict([file('bob')], 'bob-1');
    await eventually(async () => expect((await bob.send('GET', '/v1/predictions/bob-1')).status).toBe(200));
    const client = await openRawClient(origin);
    client.write(`GET /v1/predictions/bob-1/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${bob.headers.authorization}\r\n\r\n`);
    await client.until('event: progress');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const endedAt = performance.now();
    await bob.send('DELETE', '/v1/account/sessions/current');
    await client.closed;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - endedAt).toBeLessThan(1000);
    gate.release();
    otherGate.release();
    await answer;
  });

  it('know each other’s API tokens, and end requests with tokens revoked on the other', async () => {
    const { secret, token } = (await ann.send('POST', '/v1/account/tokens', { name: 'x', scopes: ['read', 'predict'] })).body;
    const authorization = `Bearer ${secret}`;
    const readThere = async () => (await there.app.inject({ url: '/v1/predictions', headers: { authorization } })).statusCode;
    expect(await readThere()).toBe(200);
    const gates = [here.analyzer.hold(), there.analyzer.hold()];
    const answer = ann.predict([file('tokens')], 'ann-1');
    await eventually(async () => expect((await askThere('GET', '/v1/predictions/ann-1')).statusCode).toBe(200));
    const client = await openRawClient(origin);
    client.write(`GET /v1/predictions/ann-1/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
    await client.until('event: progress');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const revokedAt = performance.now();
    await ann.send('DELETE', `/v1/account/tokens/${token.id}`);
    expect(await readThere()).toBe(401);
    await client.closed;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - revokedAt).toBeLessThan(1000);
    for (const gate of gates) gate.release();
    await answer;
  });

  it('find and cancel incoming uploads of each other', async () => {
    const client = await openRawClient(await here.listen());
    client.write(
      `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: ${ann.headers.authorization}\r\nIdempotency-Key: slow\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 100000\r\n\r\n`,
    );
    client.write(form([file('x'.repeat(1000))], { end: false }));
    await eventually(async () => expect((await askThere('GET', '/v1/predictions/slow')).statusCode).toBe(200));
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const cancelledAt = performance.now();
    expect((await askThere('DELETE', '/v1/predictions/slow')).statusCode).toBe(200);
    expect(await client.until('PREDICTION_CANCELLED')).toMatch(/^HTTP\/1\.1 409 /);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - cancelledAt).toBeLessThan(1000);
    client.cut();
    expect((await askThere('GET', '/v1/predictions/slow')).statusCode).toBe(404);
  });

  it('answer 404 to the cancellation of an upload whose outcome is unknown', async () => {
    await using data = await openServerData(here, environment);
    const { database } = data;
    if (!isPostgres(database)) throw new Error(database.kind);
    const asked = Promise.withResolvers<string>();
    const stopListening = await database.listen('arrivingUploads', asked.resolve);
    const arrival = { id: 'lost', accountId: ann.accountId, idempotencyKey: 'lost', createdAtMs: 1, seenAtMs: nowMs };
    await database.query.insertInto('arrivingUploads').values(arrival).execute();
    const cancelled = askThere('DELETE', '/v1/predictions/lost').then(({ statusCode }) => statusCode);
    expect(JSON.parse(await asked.promise)).toEqual({ cancel: 'lost' });
    await stopListening();
    // As a crash of PostgreSQL does, or of the machine after a while.
    await database.query.deleteFrom('arrivingUploads').where('id', '=', 'lost').execute();
    expect(await cancelled).toBe(404);
  });

  it('both end all requests, uploads and analyses of an account that an operator disables', async () => {
    const carl = await signUp(here, 'carl@example.org');
    const gates = [here.analyzer.hold(), there.analyzer.hold()];
    const goingOn = await keepBusy(carl, [here, there], 20);
    await using data = await openServerData(here, environment);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const startedAt = performance.now();
    await disable(data, 'carl@example.org');
    await Promise.all(goingOn.streams);
    const statuses = await Promise.all([...goingOn.analyses, goingOn.upload, goingOn.piece]);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - startedAt).toBeLessThan(5000);
    // Either machine may be the first to delete the piece.
    expect(statuses).toEqual([409, 409, 409, 409, 409, 409, 409, expect.toBeOneOf([404, 503])]);
    for (const { app } of [here, there])
      expect((await app.inject({ url: '/v1/predictions', headers: carl.headers })).statusCode).toBe(401);
    for (const gate of gates) gate.release();
  });

  it('require one shared storage: a server without it does not start', async () => {
    const { DATABASE_URL = '' } = environment;
    const noStorage = Object.fromEntries(Object.keys(storage.environment).map((name) => [name, '']));
    await expect(createTestServer({ environment: { ...noStorage, DATABASE_URL } })).rejects.toMatchObject({
      code: 'OTHER_STORAGE',
    });
  });
});
