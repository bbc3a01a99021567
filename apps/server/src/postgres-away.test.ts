import { eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file } from './testing/multipart.ts';
import { type SignedInUser, signUp } from './testing/signed-in.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from './testing/start-postgres.ts';
import { createTestDatabase } from './testing/test-database.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

describe.skipIf(!isPostgresInstalled())('A server that cannot reach PostgreSQL (needs Debian’s postgresql)', () => {
  let postgres: TestPostgres;
  let server: TestServer;
  let ann: SignedInUser;
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: true });
    const { url } = await createTestDatabase(postgres.url);
    server = await createTestServer({ environment: { OPEN_PREDICTION: 'false', DATABASE_URL: url } });
    ann = await signUp(server, 'ann@example.org');
  });
  afterAll(async () => {
    await server?.close();
    await postgres?.stop();
  });

  const get = async (url: string) => {
    const { statusCode, body } = await server.app.inject({ method: 'GET', url });
    return { status: statusCode, text: body };
  };
  const busy = {
    status: 503,
    body: { code: 'SERVER_BUSY', retryable: true },
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  };

  it('says so and when to try again, and has all sessions and data once PostgreSQL is back', async () => {
    const { status, body: before } = await ann.predict([file('x')], 'before');
    expect(status).toBe(200);
    await postgres.kill();
    expect((await get('/healthz')).status).toBe(200);
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('the database cannot be reached');
    expect(await ann.send('GET', '/v1/predictions')).toMatchObject(busy);
    expect(await ann.send('DELETE', `/v1/predictions/${before.id}`)).toMatchObject(busy);
    expect((await ann.predict([file('y')], 'meanwhile')).body).toMatchObject({ code: 'SERVER_BUSY' });
    await postgres.restart();
    await eventually(async () => expect((await get('/readyz')).status).toBe(200), { timeout: 40_000 });
    const { body } = await ann.send('GET', '/v1/predictions');
    expect(body.predictions.map(({ id }: { id: string }) => id)).toEqual([before.id]);
    expect((await ann.predict([file('y')], 'meanwhile')).status).toBe(200);
  });

  it('stores once, when PostgreSQL is back, a prediction that was made meanwhile', async () => {
    const gate = server.analyzer.hold();
    const listened = server.analyzer.requests.length;
    const answering = ann.predict([file('z')], 'late');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(listened + 1), { timeout: 40_000 });
    await postgres.kill();
    gate.release();
    await postgres.restart();
    await answering;
    const state = async () => (await ann.send('GET', '/v1/predictions/late')).body.state;
    await eventually(async () => expect(await state()).toBe('done'), { timeout: 40_000 });
    expect(server.analyzer.requests).toHaveLength(listened + 1);
  });
});
