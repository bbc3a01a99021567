import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiToken, apiTokenLimits, type TokenScope } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bird, calledBy, requestOf, type Walked } from './testing/every-route.ts';
import { fakeRecording } from './testing/fake-analyzer.ts';
import { FORM_TYPE, file, form } from './testing/multipart.ts';
import { openRawClient } from './testing/raw-client.ts';
import { type SignedInUser, signUp } from './testing/signed-in.ts';
import { dropTestDatabase } from './testing/test-database.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';
import { wav } from './testing/wav.ts';

/** API tokens against every route of the whole server, and how they end. */

/** All routes that accept API tokens. Adding one is a decision; docs/decisions/0028 has its criteria. */
const opened: Readonly<Record<string, readonly TokenScope[]>> = {
  'POST /get_prediction': ['predict'],
  'POST /v1/uploads': ['predict'],
  'POST /v1/uploads/:id': ['predict'],
  'HEAD /v1/uploads/:id': ['predict'],
  'PATCH /v1/uploads/:id': ['predict'],
  'DELETE /v1/uploads/:id': ['predict'],
  'GET /v1/predictions/:id/events': ['read', 'predict'],
  'GET /v1/predictions': ['read'],
  'GET /v1/life-list': ['read'],
  'GET /v1/predictions/days': ['read'],
  'GET /v1/predictions/:id': ['read'],
  'GET /v1/predictions/:id/audio': ['read'],
  'GET /v1/predictions/:id/spectrogram': ['read'],
  'GET /v1/predictions/:id/overview': ['read'],
  'GET /v1/predictions/:id/export': ['read'],
};
const refusals = ['API_TOKEN_INVALID', 'API_TOKEN_NOT_ALLOWED'];
const adminSecret = 'a-long-secret-of-the-operators';
const many = '1000000/3600';
const environment = {
  OPEN_PREDICTION: 'false',
  IDENTITY_ADMIN_SECRET: adminSecret,
  ...{
    SIGN_UP_LIMIT_PER_CLIENT: many,
    SIGN_IN_LIMIT_PER_CLIENT: many,
    SIGN_IN_LIMIT_PER_ADDRESS: many,
    WRONG_SECRET_LIMIT_PER_CLIENT: many,
  },
};

let server: TestServer;
let origin: string;
beforeAll(async () => {
  server = await createTestServer({ environment, limits: { heartbeatMs: 3_600_000 } });
  origin = await server.listen();
});
afterAll(() => server.close());

let people = 0;
const newcomer = (): Promise<SignedInUser> => signUp(server, `person-${++people}@example.org`);

async function makeToken(person: SignedInUser, scopes: readonly TokenScope[], more: object = {}) {
  const { status, body, text } = await person.send('POST', '/v1/account/tokens', { name: 'my script', scopes, ...more });
  expect(status, text).toBe(200);
  return body as { token: ApiToken; secret: string };
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
async function ask(secret: string, url = '/v1/predictions'): Promise<string> {
  const answer = await server.app.inject({ url, headers: bearer(secret) });
  return answer.statusCode === 200 ? 'accepted' : answer.json().code;
}
const predict = (secret: string, content: string | Buffer = 'sound', headers = {}) => ({
  ...{ method: 'POST' as const, url: '/get_prediction', payload: form([file(content)]) },
  headers: { ...bearer(secret), 'content-type': FORM_TYPE, ...headers },
});
const expire = (id: string, atMs: number) =>
  server.database.change({}, (query) => query.updateTable('apiTokens').set({ expiresAtMs: atMs }).where('id', '=', id).execute());
const operate = (localId: string, change: object) =>
  server.app.inject({
    ...{ method: 'POST', url: '/v1/projects/chiffchaff/accounts:update?key=any', headers: bearer(adminSecret) },
    payload: { localId, ...change },
  });

describe('Every route', () => {
  let walked: (Walked & { readonly access: string; readonly scopes: readonly TokenScope[] })[];
  let owner: SignedInUser;
  let ids: (url: string) => string;
  const secrets: Record<string, string> = {};

  beforeAll(async () => {
    walked = server.routes.flatMap((route) => {
      const { access = 'undeclared', tokenScopes = [] } = route.config ?? {};
      return calledBy([route]).map((call) => ({ ...call, access, scopes: tokenScopes }));
    });
    owner = await newcomer();
    const heard = {
      ...{ scientificName: bird, commonName: 'Chaffinch', startSeconds: 0, endSeconds: 3 },
      ...{ score: 0.8, confidence: 0.8, occurrence: null, hidden: false },
    };
    server.analyzer.answerWith({ recording: fakeRecording(60), detections: [heard] });
    secrets.predict = (await makeToken(owner, ['predict'])).secret;
    // Sent with the token that reads only what it has sent.
    const body = (await server.app.inject(predict(secrets.predict, wav(3)))).json();
    const upload = await server.app.inject({
      ...{ method: 'POST', url: '/v1/uploads' },
      headers: { ...owner.headers, 'tus-resumable': '1.0.0', 'upload-length': '5' },
    });
    const uploadId = String(upload.headers.location).slice('/v1/uploads/'.length);
    ids = (url) => (url.startsWith('/v1/uploads') ? uploadId : body.id);
    await eventually(async () => expect((await owner.send('GET', `/v1/predictions/${body.id}/audio`)).status).toBe(200), {
      timeout: 30_000,
    });
    secrets.read = (await makeToken(owner, ['read'])).secret;
    secrets.both = (await makeToken(owner, ['read', 'predict'])).secret;
    const expired = await makeToken(owner, ['read', 'predict'], { expiresInDays: 1 });
    await expire(expired.token.id, Date.now() - 1);
    secrets.expired = expired.secret;
    const revoked = await makeToken(owner, ['read', 'predict']);
    await owner.send('DELETE', `/v1/account/tokens/${revoked.token.id}`);
    secrets.revoked = revoked.secret;
    secrets.unknown = `cct_${'A'.repeat(43)}`;
    secrets.mistyped = 'cct_read';
    secrets.stranger = (await makeToken(await newcomer(), ['read', 'predict'])).secret;
    const disabled = await newcomer();
    secrets.disabled = (await makeToken(disabled, ['read', 'predict'])).secret;
    await operate(disabled.accountId, { disableUser: true });
  }, 60_000);

  async function call({ method, url }: Walked, credential: string | null) {
    const request = requestOf({ method, url }, ids(url));
    const headers = { ...request.headers, ...(credential === null ? {} : bearer(credential)) };
    const { statusCode, body } = await server.app.inject({ ...request, headers });
    const code: unknown = /^\{.*"code":"(\w+)"/s.exec(body)?.[1];
    return { status: statusCode, code, body };
  }
  const nameOf = ({ method, url }: Walked): string => `${method} ${url}`;
  /** HEAD is answered like GET, except for uploads, which have no GET. */
  const expectedScopes = (route: Walked): readonly TokenScope[] =>
    opened[nameOf(route)] ?? (route.method === 'HEAD' ? opened[`GET ${route.url}`] : undefined) ?? [];

  it('declares the scopes of API tokens that the table in this test lists', () => {
    expect(walked.length).toBeGreaterThan(60);
    for (const route of walked) expect(route.scopes, nameOf(route)).toEqual(expectedScopes(route));
    for (const name of Object.keys(opened)) expect(walked.map(nameOf)).toContain(name);
    // A scope means nothing on a public route, so none of these has one.
    expect(walked.filter(({ access, scopes }) => access === 'public' && scopes.length > 0)).toEqual([]);
  });

  it('for data of an account refuses requests without a credential', async () => {
    for (const route of walked.filter(({ access }) => access !== 'public')) {
      const { status, code } = await call(route, null);
      expect([status, route.method === 'HEAD' ? 'SIGN_IN_REQUIRED' : code], nameOf(route)).toEqual([401, 'SIGN_IN_REQUIRED']);
    }
  });

  it.each(['expired', 'revoked', 'unknown', 'mistyped', 'disabled'])(
    'for data of an account refuses an API token that is %s',
    async (kind) => {
      for (const route of walked.filter(({ access }) => access !== 'public')) {
        const { status, code } = await call(route, secrets[kind] ?? '');
        expect([status, route.method === 'HEAD' ? 'API_TOKEN_INVALID' : code], nameOf(route)).toEqual([401, 'API_TOKEN_INVALID']);
      }
    },
  );

  it.each([
    ['read', ['read']],
    ['predict', ['predict']],
    ['both', ['read', 'predict']],
  ] as const)('for data of an account accepts an API token according to its scopes: %s', async (kind, scopes) => {
    let letIn = 0;
    for (const route of walked.filter(({ access }) => access !== 'public')) {
      const { status, code, body } = await call(route, secrets[kind] ?? '');
      const mayCall = expectedScopes(route).some((scope) => scopes.some((one) => one === scope));
      if (!mayCall) {
        expect(status, nameOf(route)).toBe(403);
        if (route.method !== 'HEAD') expect(code, nameOf(route)).toBe('API_TOKEN_NOT_ALLOWED');
        continue;
      }
      letIn += 1;
      expect(refusals, `${nameOf(route)} ${body}`).not.toContain(code);
      expect([401, 500], `${nameOf(route)} ${body}`).not.toContain(status);
      if (route.method === 'GET') expect([200, 206], `${nameOf(route)} ${body}`).toContain(status);
    }
    expect(letIn).toBeGreaterThan(5);
  });

  it('for data of an account answers an API token of another account with 404, or with 403 if no scope allows it', async () => {
    for (const route of walked.filter(({ access, url }) => access !== 'public' && url.includes(':'))) {
      const { status } = await call(route, secrets.stranger ?? '');
      expect(status, nameOf(route)).toBe(expectedScopes(route).length > 0 ? 404 : 403);
    }
    const list = await server.app.inject({ url: '/v1/predictions', headers: bearer(secrets.stranger ?? '') });
    expect(list.json().predictions.map(({ id }: { id: string }) => id)).not.toContain(ids('/v1/predictions'));
  });

  it('that is public ignores an API token, and does not take it for an ID token or an operator’s secret', async () => {
    for (const route of walked.filter(({ access, url }) => access === 'public' && !url.startsWith('/docs'))) {
      const [without, withOne] = [await call(route, null), await call(route, secrets.both ?? '')];
      expect([withOne.status, withOne.code], nameOf(route)).toEqual([without.status, without.code]);
    }
    for (const method of ['lookup', 'update', 'delete', 'sendOobCode']) {
      const payload = { idToken: secrets.both, requestType: 'VERIFY_EMAIL', displayName: 'x' };
      const answer = await server.app.inject({ method: 'POST', url: `/v1/accounts:${method}?key=any`, payload });
      expect([answer.statusCode, answer.json().error.message.split(' ')[0]], method).toEqual([400, 'INVALID_ID_TOKEN']);
    }
  });

  // Last, because some of them end the calling account.
  it('for data of an account accepts an ID token of that account', async () => {
    for (const route of walked.filter(({ access }) => access !== 'public')) {
      const { status, code } = await call(route, (await newcomer()).token);
      expect([status, code], nameOf(route)).not.toEqual([401, expect.anything()]);
      expect(status, nameOf(route)).not.toBe(403);
    }
  });

  it('that declares no scope refuses every API token', async () => {
    const other = await createTestServer({ environment });
    other.app.get('/forgotten', { config: { access: 'signedIn' } }, async () => 'secret');
    const person = await signUp(other, 'ann@example.org');
    const { body } = await person.send('POST', '/v1/account/tokens', { name: 'x', scopes: ['read', 'predict'] });
    expect((await other.app.inject({ url: '/forgotten', headers: person.headers })).body).toBe('secret');
    expect((await other.app.inject({ url: '/forgotten', headers: bearer(body.secret) })).statusCode).toBe(403);
    await other.close();
  });
});

describe('An API token', () => {
  it('is shown once, and stored only as a hash', async () => {
    const person = await newcomer();
    const { secret, token } = await makeToken(person, ['read'], { name: ' Garden station ', expiresInDays: 30 });
    expect(secret).toMatch(/^cct_[\w-]{43}$/);
    expect(token).toMatchObject({ name: 'Garden station', scopes: ['read'], lastUsedAt: null });
    expect(Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt)).toBe(30 * 86_400_000);
    const { body, text } = await person.send('GET', '/v1/account/tokens');
    expect(body).toEqual({ tokens: [token] });
    const rows = await server.database.query.selectFrom('apiTokens').selectAll().execute();
    const exported = await person.send('GET', '/v1/account/export');
    expect(exported.body.apiTokens).toEqual([token]);
    for (const told of [text, exported.text, JSON.stringify(rows)]) expect(told).not.toContain(secret.slice(4));
    expect(exported.text).not.toContain(rows.find(({ id }) => id === token.id)?.tokenHash ?? 'nothing');
  });

  it.each([
    [{ name: '', scopes: ['read'] }],
    [{ name: 'x'.repeat(61), scopes: ['read'] }],
    [{ name: 'a\u202eb', scopes: ['read'] }],
    [{ name: 'x', scopes: [] }],
    [{ name: 'x', scopes: ['write'] }],
    [{ name: 'x', scopes: ['read', 'read'] }],
    [{ name: 'x', scopes: ['read'], expiresInDays: 0 }],
    [{ name: 'x', scopes: ['read'], expiresInDays: 3651 }],
    [{ name: 'x', scopes: ['read'], more: true }],
  ])('is not created for the invalid request %j', async (payload) => {
    const { status, body } = await (await newcomer()).send('POST', '/v1/account/tokens', payload);
    expect([status, body.code]).toEqual([400, 'REQUEST_INVALID']);
  });

  it('cannot be created beyond twenty for an account, even by simultaneous requests', async () => {
    const person = await newcomer();
    const make = () => person.send('POST', '/v1/account/tokens', { name: 'x', scopes: ['read'] });
    const statuses: number[] = [];
    for (let made = 0; made < apiTokenLimits.most - 2; made += 1) statuses.push((await make()).status);
    const [one, other, third] = await Promise.all([make(), make(), make()]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([one.status, other.status, third.status].sort()).toEqual([200, 200, 409]);
    const { tokens } = (await person.send('GET', '/v1/account/tokens')).body;
    expect(tokens).toHaveLength(20);
    expect((await person.send('DELETE', `/v1/account/tokens/${tokens[0].id}`)).status).toBe(200);
    expect((await person.send('DELETE', `/v1/account/tokens/${tokens[0].id}`)).status).toBe(404);
    expect((await make()).status).toBe(200);
  });

  it('with the scope predict alone can read the events of predictions sent with it, and of no others of its account', async () => {
    const person = await newcomer();
    const [own, second, reading] = [
      await makeToken(person, ['predict']),
      await makeToken(person, ['predict']),
      await makeToken(person, ['read', 'predict']),
    ];
    const sent = [
      (await person.predict([file('by session')], 'key-session')).body.id,
      (await server.app.inject(predict(second.secret, 'by another', { 'idempotency-key': 'key-another' }))).json().id,
      (await server.app.inject(predict(reading.secret, 'by a reading one', { 'idempotency-key': 'key-reading' }))).json().id,
    ];
    const mine = (await server.app.inject(predict(own.secret, 'mine', { 'idempotency-key': 'key-mine' }))).json().id;
    const statusFor = async (secret: string, id: string) =>
      (await server.app.inject({ url: `/v1/predictions/${id}/events`, headers: bearer(secret) })).statusCode;
    for (const id of [...sent, 'key-session', 'key-another', 'key-reading']) {
      expect([id, await statusFor(own.secret, id)]).toEqual([id, 404]);
      expect([id, await statusFor(reading.secret, id)]).toEqual([id, 200]);
      expect([id, await statusFor(person.token, id)]).toEqual([id, 200]);
    }
    for (const id of [mine, 'key-mine']) expect([id, await statusFor(own.secret, id)]).toEqual([id, 200]);
  });

  it('with the scope predict alone cannot read the events of incoming uploads sent with other credentials of its account', async () => {
    const person = await newcomer();
    const own = await makeToken(person, ['predict']);
    const sending = await Promise.all(
      [person.token, own.secret].map(async (credential, n) => {
        const client = await openRawClient(origin);
        client.write(
          `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nIdempotency-Key: slow-${n}\r\n`,
        );
        client.write(`Content-Type: ${FORM_TYPE}\r\nContent-Length: 100000\r\n\r\n`);
        return client;
      }),
    );
    for (const n of [0, 1])
      await eventually(async () => expect((await person.send('GET', `/v1/predictions/slow-${n}`)).status).toBe(200));
    const head = (n: number) =>
      server.app.inject({ method: 'HEAD', url: `/v1/predictions/slow-${n}/events`, headers: bearer(own.secret) });
    expect([(await head(0)).statusCode, (await head(1)).statusCode]).toEqual([404, 200]);
    for (const client of sending) client.cut();
  });

  it('has a time of last use that is not written to the database at each request', async () => {
    const person = await newcomer();
    const { secret, token } = await makeToken(person, ['read']);
    const lastUse = async () => (await person.send('GET', '/v1/account/tokens')).body.tokens[0].lastUsedAt;
    await ask(secret);
    const first = await lastUse();
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(10_000);
    await ask(secret);
    expect(await lastUse()).toBe(first);
    const anHourAgo = Date.now() - 3_600_001;
    await server.database.change({}, (query) =>
      query.updateTable('apiTokens').set({ lastUsedAtMs: anHourAgo }).where('id', '=', token.id).execute(),
    );
    await ask(secret);
    expect(Date.parse(await lastUse())).toBeGreaterThan(anHourAgo);
  });

  it('counts its requests towards the limits of its account', async () => {
    const other = await createTestServer({ environment: { ...environment, QUOTA_PER_ACCOUNT: '2/86400' } });
    const person = await signUp(other, 'ann@example.org');
    const make = async () =>
      (await person.send('POST', '/v1/account/tokens', { name: 'x', scopes: ['predict'] })).body.secret as string;
    const [one, second] = [await make(), await make()];
    expect((await person.predict([file('one')])).status).toBe(200);
    expect((await other.app.inject(predict(one, 'two'))).statusCode).toBe(200);
    expect((await other.app.inject(predict(second, 'three'))).json().code).toBe('QUOTA_EXCEEDED');
    expect((await person.send('GET', '/v1/predictions')).body.predictions).toHaveLength(2);
    await other.close();
  });

  it('is checked even if predictions need no account, and a prediction made with it is stored for its account', async () => {
    const open = await createTestServer({ environment: { ...environment, OPEN_PREDICTION: 'true' } });
    const person = await signUp(open, 'ann@example.org');
    const make = async (scope: TokenScope) =>
      (await person.send('POST', '/v1/account/tokens', { name: 'x', scopes: [scope] })).body.secret as string;
    expect((await open.app.inject(predict(await make('predict')))).statusCode).toBe(200);
    expect((await person.send('GET', '/v1/predictions')).body.predictions).toHaveLength(1);
    expect((await open.app.inject(predict(await make('read')))).json().code).toBe('API_TOKEN_NOT_ALLOWED');
    expect((await open.app.inject(predict('cct_gone'))).json().code).toBe('API_TOKEN_INVALID');
    await open.close();
  });

  it('is never logged, whatever request fails', async () => {
    const person = await newcomer();
    const { secret } = await makeToken(person, ['predict']);
    await ask(secret);
    await server.app.inject(predict(secret, 'sound'));
    await server.app.inject({ url: `/v1/predictions?token=${secret}`, headers: bearer(secret) });
    await server.app.inject({ ...predict(secret), payload: 'no form' });
    expect(server.logged.length).toBeGreaterThan(5);
    expect(JSON.stringify(server.logged)).not.toContain(secret.slice(4));
  });
});

describe('The end of an API token', () => {
  const password = 'two short notes';
  const identity = async (method: string, payload: object) =>
    (await server.app.inject({ method: 'POST', url: `/v1/accounts:${method}?key=any`, payload })).json();
  type End = (person: SignedInUser, tokenId: string) => Promise<unknown>;

  const ends: readonly (readonly [string, End])[] = [
    ['it is revoked', (person, id) => person.send('DELETE', `/v1/account/tokens/${id}`)],
    ['it expires', (_person, id) => expire(id, Date.now() - 1)],
    ['the owner signs out everywhere', (person) => person.send('DELETE', '/v1/account/sessions')],
    ['the owner signs out everywhere else', (person) => person.send('DELETE', '/v1/account/sessions?except=current')],
    ['the password is changed', ({ token }) => identity('update', { idToken: token, password: 'another two notes' })],
    ['the account is deleted', (person) => person.send('DELETE', '/v1/account')],
    ['the account is deleted by the Firebase SDK', ({ token }) => identity('delete', { idToken: token })],
    ['an operator ends the sessions', ({ accountId }) => operate(accountId, { validSince: Math.floor(Date.now() / 1000) })],
    ['an operator disables the account', ({ accountId }) => operate(accountId, { disableUser: true })],
  ];

  it.each(ends)('comes when %s', async (_when, end) => {
    const person = await newcomer();
    const { secret, token } = await makeToken(person, ['read']);
    expect(await ask(secret)).toBe('accepted');
    await end(person, token.id);
    expect(await ask(secret)).toBe('API_TOKEN_INVALID');
  });

  it.each(ends.filter(([when]) => when !== 'it expires'))(
    'also ends requests made with it, within a second, when %s',
    async (_, end) => {
      const person = await newcomer();
      const { secret, token } = await makeToken(person, ['predict']);
      const gate = server.analyzer.hold();
      void server.app.inject(predict(secret, `sound ${people}`, { 'idempotency-key': 'key' })).catch(() => {});
      const stream = await follow(secret);
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      const endedAt = performance.now();
      await end(person, token.id);
      await stream.closed;
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      expect(performance.now() - endedAt).toBeLessThan(1000);
      gate.release();
    },
  );

  it('also ends requests made with it, at the moment when it expires', async () => {
    const person = await newcomer();
    const { secret, token } = await makeToken(person, ['predict']);
    const gate = server.analyzer.hold();
    void server.app.inject(predict(secret, `sound ${people}`, { 'idempotency-key': 'key' })).catch(() => {});
    const expiresAtMs = Date.now() + 1500;
    await expire(token.id, expiresAtMs);
    const stream = await follow(secret);
    await stream.closed;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(Math.abs(Date.now() - expiresAtMs)).toBeLessThan(1000);
    gate.release();
  });

  it('ends no session and no other API token, nor does the end of one of these end it', async () => {
    const person = await newcomer();
    const [kept, other] = [await makeToken(person, ['predict', 'read']), await makeToken(person, ['read'])];
    const gate = server.analyzer.hold();
    void person.predict([file(`sound ${people}`)], 'key').catch(() => {});
    const [stream, ofSignIn] = [await follow(kept.secret), await follow(person.token)];
    const email = `person-${people}@example.org`;
    const { idToken } = await identity('signInWithPassword', { email, password });
    await server.app.inject({ method: 'DELETE', url: '/v1/account/sessions/current', headers: bearer(idToken) });
    await person.send('DELETE', `/v1/account/tokens/${other.token.id}`);
    gate.release();
    await Promise.all([stream.until('event: done'), ofSignIn.until('event: done')]);
    expect(await ask(kept.secret)).toBe('accepted');
  });

  /** Follows the prediction `key` until its first progress event. */
  async function follow(credential: string) {
    const headers = { authorization: `Bearer ${credential}` };
    await expect
      .poll(async () => (await server.app.inject({ method: 'HEAD', url: '/v1/predictions/key/events', headers })).statusCode)
      .toBe(200);
    const client = await openRawClient(origin);
    client.write(`GET /v1/predictions/key/events HTTP/1.1\r\nhost: birds\r\nauthorization: ${headers.authorization}\r\n\r\n`);
    await client.until('event: progress');
    return client;
  }
});

it('API tokens that expired long ago are deleted', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-tokens-'));
  const before = await createTestServer({ environment, dataDir });
  const person = await signUp(before, 'ann@example.org');
  const make = async (expiredForDays: number) => {
    const payload = { name: `${expiredForDays}`, scopes: ['read'], expiresInDays: 1 };
    const { token } = (await person.send('POST', '/v1/account/tokens', payload)).body;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const change = { expiresAtMs: Date.now() - expiredForDays * 86_400_000 };
    await before.database.change({}, (query) => query.updateTable('apiTokens').set(change).where('id', '=', token.id).execute());
  };
  await make(91);
  await make(89);
  await before.close();
  const after = await createTestServer({ environment, dataDir });
  const left = (await after.app.inject({ url: '/v1/account/tokens', headers: person.headers })).json();
  expect(left.tokens.map(({ name }: ApiToken) => name)).toEqual(['89']);
  await after.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});
