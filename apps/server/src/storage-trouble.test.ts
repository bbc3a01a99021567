import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
// biome-ignore lint/plugin: sleeps; to become a gate
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { file } from './testing/multipart.ts';
import { signUp } from './testing/signed-in.ts';
import { isOnPostgres } from './testing/test-database.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

/** What people are told when the disk or the database file is faulty, and that nothing acknowledged is lost. */

let server: TestServer;
beforeEach(async ({ skip }) => {
  skip(isOnPostgres, 'about the file and the lock of SQLite');
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false', SIGN_IN_LIMIT_PER_ADDRESS: '1/900' } });
});
afterEach(() => server?.close());

const path = (ending = ''): string => join(server.dataDir, `chiffchaff.sqlite${ending}`);
const get = async (url: string) => {
  const { statusCode, body } = await server.app.inject({ method: 'GET', url });
  return { status: statusCode, text: body };
};
const askSignUp = async (email: string) => {
  const payload = { email, password: 'two short notes', returnSecureToken: true };
  const { statusCode, headers, ...answer } = await server.app.inject({
    method: 'POST',
    url: '/v1/accounts:signUp?key=any',
    payload,
  });
  return { status: statusCode, retryAfter: headers['retry-after'], message: answer.json().error?.message };
};

describe('While another program holds the database’s lock for writing,', () => {
  let other: Sqlite.Database;
  beforeEach(() => {
    other = new Sqlite(path());
  });
  afterEach(() => other.close());

  it('the health routes and reads still work, and writes are refused with the time after which to try again', async () => {
    const ann = await signUp(server, 'ann@example.org');
    const { body: prediction } = await ann.predict([file('x')]);
    other.exec('BEGIN IMMEDIATE');
    let refused: Awaited<ReturnType<typeof ann.send>> | undefined;
    const refusing = ann.send('DELETE', `/v1/predictions/${prediction.id}`).then((answer) => {
      refused = answer;
    });
    let told = 0;
    for (; refused === undefined; told += 1) {
      expect((await get('/healthz')).status).toBe(200);
      expect((await ann.send('GET', '/v1/predictions')).body.predictions).toHaveLength(1);
      await wait(1);
    }
    await refusing;
    // If reads were held up, there would be one answer.
    expect(told).toBeGreaterThan(3);
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'SERVER_BUSY', retryable: true },
      headers: { 'retry-after': '2' },
    });
    expect(await askSignUp('bob@example.org')).toEqual({
      status: 503,
      retryAfter: '2',
      message: expect.stringMatching(/^SERVER_BUSY : Another program on the server is using the database/),
    });
    expect((await get('/readyz')).text).toContain('another program is writing to the database');
    other.exec('ROLLBACK');
    expect((await ann.send('DELETE', `/v1/predictions/${prediction.id}`)).status).toBe(200);
    expect((await askSignUp('bob@example.org')).status).toBe(200);
  });

  it('a sign-in that cannot be written does not count as a failed attempt', async () => {
    await askSignUp('ann@example.org');
    const payload = { email: 'ann@example.org', password: 'two short notes' };
    const signIn = () => server.app.inject({ method: 'POST', url: '/v1/accounts:signInWithPassword?key=any', payload });
    other.exec('BEGIN IMMEDIATE');
    expect((await signIn()).statusCode).toBe(503);
    other.exec('ROLLBACK');
    expect((await signIn()).statusCode).toBe(200);
  });

  it('a finished prediction waits until it can be stored', async () => {
    const ann = await signUp(server, 'ann@example.org');
    const gate = server.analyzer.hold();
    const answering = ann.predict([file('x')], 'a-key');
    await expect.poll(() => server.analyzer.requests.length).toBe(1);
    other.exec('BEGIN IMMEDIATE');
    gate.release();
    // Longer than any request waits.
    await wait(1500);
    other.exec('ROLLBACK');
    const { status, body } = await answering;
    expect(status).toBe(200);
    expect((await ann.send('GET', '/v1/predictions')).body.predictions).toMatchObject([{ id: body.id }]);
  });
});

describe('When the database file is', () => {
  it.each([
    ['removed', '', () => rmSync(path())],
    [
      'replaced',
      '',
      () => {
        const bytes = readFileSync(path());
        rmSync(path());
        writeFileSync(path(), bytes);
      },
    ],
    ['without its write-ahead log', '-wal', () => rmSync(path('-wal'))],
  ])(
    '%s, nothing is acknowledged any more, the server is not ready, and the log says what to do',
    async (_what, ending, lose) => {
      const ann = await signUp(server, 'ann@example.org');
      lose();
      expect(await askSignUp('bob@example.org')).toMatchObject({
        status: 503,
        message: expect.stringMatching(/^STORAGE_UNAVAILABLE : The server cannot use its database/),
      });
      expect(await ann.predict([file('x')])).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE' } });
      expect(await get('/readyz')).toMatchObject({
        status: 503,
        text: expect.stringContaining('the database file was removed or replaced'),
      });
      expect((await get('/healthz')).status).toBe(200);
      expect(JSON.stringify(server.logged)).toContain(`${path(ending)} is no longer the file this server opened`);
      expect(await server.uploadedFiles()).toEqual([]);
    },
  );

  it('put back after it was moved away, the server accepts sign-ups again', async () => {
    renameSync(path(), path('-moved'));
    expect((await askSignUp('ann@example.org')).status).toBe(503);
    renameSync(path('-moved'), path());
    expect((await askSignUp('ann@example.org')).status).toBe(200);
  });

  it('damaged, requests for the damaged part fail, the server is not ready, and the log says what to do', async () => {
    await signUp(server, 'ann@example.org');
    const other = new Sqlite(path());
    // A write of another program makes the server read its pages again.
    other.exec("INSERT INTO termsAcceptances VALUES ('x', '1', 1)");
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    const bytes = openSync(path(), 'r+');
    for (let at = 4096; at < fstatSync(bytes).size; at += 4096) writeSync(bytes, Buffer.alloc(4096, 0xff), 0, 4096, at);
    closeSync(bytes);
    expect(await askSignUp('bob@example.org')).toMatchObject({
      status: 503,
      message: expect.stringContaining('STORAGE_UNAVAILABLE'),
    });
    expect(await get('/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('the database is damaged') });
    expect(JSON.stringify(server.logged)).toContain(
      'chiffchaff.sqlite in the data folder is damaged. Stop the server, restore a backup',
    );
  });
});

describe('When the disk is full,', () => {
  it('requests that need space are refused with 507 and a sentence', async () => {
    const ann = await signUp(server, 'ann@example.org');
    // Simulates a full disk: SQLite gets no further pages.
    const pages = await sql<{ page_count: number }>`PRAGMA page_count`.execute(server.database.query);
    await sql.raw(`PRAGMA max_page_count = ${pages.rows[0]?.page_count}`).execute(server.database.query);
    let refusal = await ann.predict([file('x'.repeat(100_000))], 'key-0');
    for (let n = 1; refusal.status === 200 && n < 100; n += 1) refusal = await ann.predict([file(`${n}`)], `key-${n}`);
    expect(refusal).toMatchObject({ status: 507, body: { code: 'STORAGE_FULL', retryable: true } });
    let refused = await askSignUp('0@example.org');
    for (let n = 1; refused.status === 200 && n < 200; n += 1) refused = await askSignUp(`${n}@example.org`);
    expect(refused).toEqual({
      status: 507,
      retryAfter: '600',
      message: expect.stringMatching(/^STORAGE_FULL : The server does not have enough space/),
    });
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('a recording that cannot be written is also refused with 507', async () => {
    const ann = await signUp(server, 'ann@example.org');
    server.analyzer.failWith(Object.assign(new Error('write'), { code: 'ENOSPC' }));
    expect(await ann.predict([file('x')])).toMatchObject({ status: 507, body: { code: 'STORAGE_FULL' } });
    expect(existsSync(server.dataDir)).toBe(true);
  });
});
