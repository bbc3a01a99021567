import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** Requests that no honest client sends, against the running service. */

let server: IdentityServer;
const email = 'ada@example.org';
const password = 'correct horse';
let idToken = '';
beforeAll(async () => {
  server = await startIdentityServer();
  idToken = (await server.post('/v1/accounts:signUp', { email, password })).body.idToken;
});
afterAll(() => server.close());

const methods: readonly (readonly [string, Readonly<Record<string, string | string[]>>])[] = [
  ['/v1/accounts:signUp', { email: 'new@example.org', password, displayName: 'Ada', termsVersion: '1' }],
  ['/v1/accounts:signInWithPassword', { email, password }],
  ['/v1/accounts:lookup', { idToken: 'x' }],
  ['/v1/accounts:update', { idToken: 'x', displayName: 'Ada', photoUrl: 'https://example.org/', email, password }],
  ['/v1/accounts:update', { oobCode: 'x' }],
  ['/v1/accounts:delete', { idToken: 'x' }],
  ['/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email, continueUrl: 'https://example.org/' }],
  ['/v1/accounts:sendOobCode', { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken: 'x', newEmail: email }],
  ['/v1/accounts:resetPassword', { oobCode: 'x', newPassword: password }],
  ['/v1/accounts:createAuthUri', { identifier: email, continueUri: 'https://example.org/' }],
  ['/v1/token', { grant_type: 'refresh_token', refresh_token: 'x' }],
];

const injections = [
  "' OR '1'='1",
  "'; DROP TABLE accounts; --",
  '" UNION SELECT passwordHash FROM accounts --',
  'ada@example.org\r\nBcc: everybody@example.org',
  'x\r\n\r\n<script>alert(1)</script>',
  'x\nSet-Cookie: a=b',
  'a\0b',
  '{{7*7}}',
  '../../../etc/passwd',
  '💥\ud800',
  'x'.repeat(8192),
];

async function accountsNow(): Promise<unknown> {
  return server.database.query.selectFrom('accounts').selectAll().where('email', '=', email).execute();
}

describe('The identity route', () => {
  it.each(methods)('%s treats SQL and header injection in any field as text (case %#)', async (path, body) => {
    const before = await accountsNow();
    for (const name of Object.keys(body)) {
      for (const text of injections) {
        const answer = await server.post(path, { ...body, [name]: text });
        expect([200, 400], `${name} = ${JSON.stringify(text)}: ${answer.text}`).toContain(answer.status);
        expect(answer.text).not.toMatch(/argon2|sqlite|stack|node:/i);
        for (const [header, value] of answer.headers) expect(value, header).not.toMatch(/evil|Bcc|a=b/);
      }
    }
    await server.identity.methods.mailQueue?.settled();
    for (const mail of server.mailbox.mails) expect(mail.email).toMatch(/^[\w.+-]+@example\.org$/);
    expect((await server.post('/v1/accounts:signInWithPassword', { email, password })).status).toBe(200);
    expect(JSON.stringify(await accountsNow()).replace(/"lastLoginAtMs":\d+/, '')).toBe(
      JSON.stringify(before).replace(/"lastLoginAtMs":\d+/, ''),
    );
  });

  it.each(methods)('%s refuses fields of other types than text (case %#)', async (path, body) => {
    for (const name of Object.keys(body)) {
      for (const value of [1, true, {}, ['a'], { $ne: null }]) {
        const { status, body: answer } = await server.post(path, { ...body, [name]: value });
        expect(status).toBe(400);
        expect(answer.error).toMatchObject({
          status: 'INVALID_ARGUMENT',
          message: expect.stringMatching(/^Invalid JSON payload received\. Invalid value at /),
        });
      }
    }
  });

  it.each(methods)('%s treats null as absent and ignores unknown fields (case %#)', async (path, body) => {
    const nulls = Object.fromEntries(Object.keys(body).map((name) => [name, null]));
    const [absent, nulled] = [await server.post(path, {}), await server.post(path, { ...nulls, unknown: { deep: [1] } })];
    expect([nulled.status, nulled.message]).toEqual([absent.status, absent.message]);
  });
});

describe('A request body to the identity routes', () => {
  const paths = [...new Set(methods.map(([path]) => path))];

  it.each(paths)('of 10 MB is refused by %s', async (path) => {
    const { statusCode, headers, body } = await server.app.inject({
      method: 'POST',
      url: `${path}?key=k`,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ email, password: 'x'.repeat(10 * 1024 * 1024) }),
    });
    expect(statusCode).toBe(413);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(body).error.message).toBe('Request payload size exceeds the limit.');
  });

  it.each(paths)('of deeply nested JSON is refused by %s', async (path) => {
    const depth = 15_000;
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = `${open.repeat(depth / open.length)}1${close.repeat(depth / open.length)}`;
      expect((await server.post(path, nested)).status).toBe(400);
      expect((await server.post(path, `{"idToken":${nested}}`)).status).toBe(400);
      expect((await server.post(path, `{"unknown":${nested}}`)).status).toBe(400);
    }
  });

  it.each(paths)('that is not a JSON object is refused by %s', async (path) => {
    for (const body of ['', '{', '[]', 'null', '"text"', '1', '{"email":"a"', '\ufeff', '{"__proto__":{"email":"a"}}']) {
      const answer = await server.post(path, body);
      expect(answer.status, body).toBe(400);
      expect(answer.message, body).toMatch(/^Invalid JSON payload received\. /);
    }
  });

  it.each(paths)('of another content type is refused by %s', async (path) => {
    const types = ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/octet-stream', 'nonsense'];
    for (const type of path === '/v1/token' ? types : [...types, 'application/x-www-form-urlencoded']) {
      const answer = await server.post(path, JSON.stringify({ email, password }), { 'content-type': type });
      expect(answer.status, type).toBe(400);
      expect(answer.message, type).toMatch(/^Invalid JSON payload received\. /);
    }
  });
});

describe('The owner of an account', () => {
  it('cannot set fields that only operators can set', async () => {
    for (const field of [
      { emailVerified: true },
      { disableUser: true },
      { customAttributes: '{"admin":true}' },
      { validSince: '0' },
      { localId: 'x' },
    ]) {
      expect((await server.post('/v1/accounts:update', { idToken, ...field })).message).toBe('INSUFFICIENT_PERMISSION');
    }
    expect((await server.post('/v1/accounts:delete', { idToken, localId: 'x' })).message).toBe('INSUFFICIENT_PERMISSION');
    const asked = await server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email, returnOobLink: true });
    expect(asked.message).toBe('INSUFFICIENT_PERMISSION');
    const { body } = await server.post('/v1/accounts:signUp', {
      email: 'eve@example.org',
      password,
      emailVerified: true,
      localId: 'chosen',
      customAttributes: '{"admin":true}',
    });
    const { users } = (await server.post('/v1/accounts:lookup', { idToken: body.idToken })).body;
    expect(users[0]).toMatchObject({ emailVerified: false });
    expect(users[0].localId).toMatch(/^[A-Za-z0-9]{28}$/);
    expect(users[0].customAttributes).toBeUndefined();
  });

  it('never receives the hash of the password', async () => {
    const { text } = await server.post('/v1/accounts:lookup', { idToken });
    expect(text).not.toMatch(/passwordHash|salt|argon2/);
  });
});

describe('The log of the identity routes', () => {
  it('contains no tokens, passwords, addresses or query strings', async () => {
    const at = await startIdentityServer();
    const secret = { email: 'secret-person@example.org', password: 'secret-password-1' };
    const { body } = await at.post('/v1/accounts:signUp?key=secret-key', { ...secret, displayName: 'secret-name' });
    await at.post('/v1/accounts:signInWithPassword?key=secret-key', { ...secret, password: 'secret-password-2' });
    await at.post('/v1/accounts:lookup?key=secret-key', { idToken: body.idToken });
    await at.post('/v1/token?key=secret-key', { grant_type: 'refresh_token', refresh_token: body.refreshToken });
    await at.post('/v1/accounts:sendOobCode?key=secret-key', { requestType: 'PASSWORD_RESET', email: secret.email });
    await at.post('/v1/accounts:signUp?key=secret-key', `{"email":"${secret.email}`);
    await at.post('/v1/accounts:signUp?key=secret-key', { email: { secret: 'secret-field' } });
    await at.identity.methods.mailQueue?.settled();
    await at.database.close();
    await at.post('/v1/accounts:signInWithPassword?key=secret-key', secret);
    await at.post('/v1/accounts:lookup?key=secret-key', { idToken: body.idToken });
    const log = at.logLines.join('');
    expect(log).toContain('unexpected error in identity');
    expect(log).not.toMatch(/secret/i);
    expect(log).not.toContain(body.idToken);
    expect(log).not.toContain(body.refreshToken);
    for (const { oobCode } of at.mailbox.mails) expect(log).not.toContain(oobCode);
    await at.close();
  });
});

describe('A fault of the server on the identity routes', () => {
  it('is answered without its cause, and in plain text where JSON would make clients sign out', async () => {
    const at = await startIdentityServer();
    const { body } = await at.post('/v1/accounts:signUp', { email, password });
    await at.database.close();
    for (const prefix of ['', '/identitytoolkit.googleapis.com']) {
      const answer = await at.post(`${prefix}/v1/accounts:lookup`, { idToken: body.idToken });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    for (const prefix of ['', '/securetoken.googleapis.com']) {
      const answer = await at.post(`${prefix}/v1/token`, { grant_type: 'refresh_token', refresh_token: body.refreshToken });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
    }
    const signIn = await at.post('/v1/accounts:signInWithPassword', { email, password });
    expect(signIn.body.error).toEqual({
      code: 500,
      message: 'INTERNAL',
      errors: [{ message: 'INTERNAL', domain: 'global', reason: 'backendError' }],
      status: 'INTERNAL',
    });
    await at.close();
  });
});

it('An identity request is answered after another client cancelled its request halfway', async () => {
  const controller = new AbortController();
  const cut = fetch(`${server.origin}/v1/accounts:signInWithPassword?key=k`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
    signal: controller.signal,
  });
  controller.abort();
  await expect(cut).rejects.toThrow('aborted');
  expect((await answerOf(await fetch(`${server.origin}/v1/projects?key=k`))).status).toBe(200);
});
