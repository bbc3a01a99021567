import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepBusy } from '../testing/keep-busy.ts';
import { file } from '../testing/multipart.ts';
import { openServerData } from '../testing/server-data.ts';
import { type SignedInUser, signUp } from '../testing/signed-in.ts';
import { dropTestDatabase } from '../testing/test-database.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { storesOf } from '../testing/test-stores.ts';
import { disable, enable } from './disable.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

const email = 'walker@example.org';
const password = 'two short notes';
let server: TestServer;
let walker: SignedInUser;
beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' }, limits: { heartbeatMs: 3_600_000 } });
  walker = await signUp(server, email);
});
afterEach(() => server.close());

const identity = async (method: string, payload: object) =>
  (await server.app.inject({ method: 'POST', url: `/v1/${method}?key=any`, payload })).json();

describe('`chiffchaff admin disable`', () => {
  it('ends the sessions, uploads and analyses of a busy account, and nothing of other accounts', async () => {
    const other = await signUp(server, 'other@example.org');
    const gate = server.analyzer.hold();
    const othersAnswer = other.predict([file('other')], 'other');
    const goingOn = await keepBusy(walker, [server], 40);
    const { body: ticket } = await walker.send('POST', '/v1/predictions/ticket');
    await using data = await openServerData(server);

    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const startedAt = performance.now();
    const sentence = await disable(data, 'Walker@Example.org');
    await Promise.all(goingOn.streams);
    const statuses = await Promise.all([...goingOn.analyses, goingOn.upload, goingOn.piece]);
    expect(sentence).toBe('Disabled Walker@Example.org. Sessions, streams, uploads and analyses of this account have ended.');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(statuses).toEqual([409, 409, 409, 409, 409, 409, 409, expect.toBeOneOf([404, 503])]);

    expect((await walker.send('GET', '/v1/predictions')).status).toBe(401);
    expect((await server.app.inject({ url: ticket.url })).statusCode).toBe(401);
    expect((await identity('accounts:signInWithPassword', { email, password })).error.message).toBe('USER_DISABLED');
    const left = server.database.query.selectFrom('predictions').select('accountId').where('state', '=', 'queued');
    expect(await left.execute()).toEqual([{ accountId: other.accountId }]);
    gate.release();
    expect((await othersAnswer).status).toBe(200);
    await eventually(async () => expect(await server.uploadedFiles()).toEqual([]));
  });

  it('makes the server refuse a recording that has been uploaded but not yet added to the queue', async () => {
    const { predictions } = server;
    const accept = predictions.queue.add.bind(predictions.queue);
    predictions.queue.add = async (job) => {
      await using data = await openServerData(server);
      await disable(data, email);
      return accept(job);
    };
    expect((await walker.predict([file('sound')], 'late')).body.code).toBe('SESSION_EXPIRED');
    expect(server.analyzer.requests).toEqual([]);
  });

  it('is undone by `enable`: the person can sign in again and finds the earlier predictions', async () => {
    const { body: prediction } = await walker.predict([file('sound')]);
    await using data = await openServerData(server);
    await disable(data, email);
    expect(await enable(data, email)).toMatch(/^Enabled walker@example\.org\./);
    // Earlier sessions have ended for good.
    expect((await walker.send('GET', '/v1/predictions')).status).toBe(401);
    const { idToken } = await identity('accounts:signInWithPassword', { email, password });
    const headers = { authorization: `Bearer ${idToken}` };
    expect((await server.app.inject({ url: `/v1/predictions/${prediction.id}`, headers })).statusCode).toBe(200);
  });

  it('takes effect at the next start if no server is running', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-disable-'));
    const before = await createTestServer({ dataDir });
    await signUp(before, email);
    await before.close();
    const data = await openServerData({ dataDir });
    expect(await disable(data, email, 300)).toContain('No running server has confirmed it');
    const openSessions = data.database.query.selectFrom('sessions').select('id').where('endedAtMs', 'is', null);
    expect(await openSessions.execute()).toHaveLength(1);
    const after = await createTestServer({ dataDir });
    expect(await openSessions.execute()).toEqual([]);
    expect(await data.database.query.selectFrom('accountEndings').selectAll().execute()).toEqual([]);
    await after.close();
    await data[Symbol.asyncDispose]();
    await dropTestDatabase(dataDir);
    await rm(dataDir, { recursive: true });
  });

  it('says that the account does not exist, or that Firebase manages the accounts', async () => {
    await using data = await openServerData(server);
    await expect(disable(data, 'unknown@example.org')).rejects.toThrow(
      'There is no account with the address unknown@example.org.',
    );
    const elsewhere = { ...data, config: { ...data.config, identityMode: 'firebase' } } as const;
    await expect(disable(elsewhere, email)).rejects.toThrow('Accounts are not managed by this server (IDENTITY_MODE=firebase)');
  });
});

describe('`./chiffchaff admin`', () => {
  const run = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: server.dataDir, ...(await storesOf(server.dataDir)), ...environment };
    const program = new URL('main.ts', import.meta.url).pathname;
    return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words], { env }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  };

  it('disables an account of a running server, which then answers its session with 401', async () => {
    expect(await run(['disable', email])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^Disabled .* ended\.\n$/),
    });
    expect((await walker.send('GET', '/v1/predictions')).status).toBe(401);
  });

  it.each([
    [['disable', 'unknown@example.org'], {}, 1, /^There is no account/],
    [
      ['disable', email],
      { DATA_DIR: '/nowhere', DATABASE_URL: '', STORAGE_URL: '', S3_ENDPOINT: '' },
      1,
      /^There is no database in \/nowhere\. Start the server once/,
    ],
    [['disable', email], { PORT: 'x' }, 2, /PORT must be/],
    [['disable'], {}, 2, /missing required argument/],
    [['disabel'], {}, 2, /Did you mean disable/],
    [['settings', 'get', 'sitName'], {}, 2, /sitName.*Allowed choices are businessName, siteName, /],
  ])('refuses the arguments %j and variables %j with status %i and a reason', async (words, environment, code, err) => {
    expect(await run(words, environment)).toEqual({ code, out: '', err: expect.stringMatching(err) });
  });
});
