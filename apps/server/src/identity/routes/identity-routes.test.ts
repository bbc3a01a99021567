import { X509Certificate } from 'node:crypto';
import { createLocalJWKSet, importX509, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, configuredOrigin, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** Paths, responses and headers that clients of Identity Toolkit expect. */

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer({ options: { publicUrl: () => 'https://birds.example.org' } });
});
afterAll(() => server.close());

const password = 'correct horse';
let counter = 0;
const freshEmail = () => `birder-${++counter}@example.org`;
const get = async (path: string, at = server) => answerOf(await fetch(at.origin + path));

const identityPaths = [
  'signUp',
  'signInWithPassword',
  'lookup',
  'update',
  'delete',
  'sendOobCode',
  'resetPassword',
  'createAuthUri',
].map((name) => `/v1/accounts:${name}`);
const everyPost = [
  ...identityPaths.flatMap((path) => [path, `/identitytoolkit.googleapis.com${path}`]),
  '/v1/token',
  '/securetoken.googleapis.com/v1/token',
];

describe('An identity method', () => {
  it.each(everyPost)('at %s answers a refused request in the error format of Identity Toolkit', async (path) => {
    const { status, body, headers } = await server.post(path, {});
    expect(status).toBe(400);
    const { message } = body.error;
    expect(message).toMatch(/^(MISSING|ADMIN|INVALID)_[A-Z_]+( : .*)?$/);
    expect(body.error).toEqual({
      code: 400,
      message,
      errors: [{ message, domain: 'global', reason: 'invalid' }],
      status: 'INVALID_ARGUMENT',
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(everyPost)('at %s can be called by a page of any origin', async (path) => {
    const response = await fetch(server.origin + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://anywhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-client-version,x-firebase-gmpid',
      },
    });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'content-type,x-client-version,x-firebase-gmpid',
      'access-control-max-age': '3600',
      vary: 'Origin',
    });
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([
    [configuredOrigin, 'true'],
    ['https://anywhere.example', null],
    [`${configuredOrigin}.anywhere.example`, null],
    [undefined, null],
  ])(
    'can be called by a page of origin %s from a public into a private network only if the origin is configured',
    async (origin, allowed) => {
      for (const path of everyPost) {
        const response = await fetch(server.origin + path, {
          method: 'OPTIONS',
          headers: { ...(origin === undefined ? {} : { origin }), 'access-control-request-private-network': 'true' },
        });
        expect(response.status).toBe(204);
        expect(response.headers.get('access-control-allow-private-network')).toBe(allowed);
      }
    },
  );

  it('requires an API key, in the address or in a header', async () => {
    for (const path of [...everyPost, ...everyPost.map((one) => `${one}?key=`)]) {
      const { status, body, headers } = await server.post(path.includes('?') ? path : `${path}?a=b`, {});
      expect([status, body.error.message, body.error.status]).toEqual([
        403,
        'The request is missing a valid API key.',
        'PERMISSION_DENIED',
      ]);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await server.post('/v1/accounts:signUp?a=b', {}, { 'x-goog-api-key': 'any' })).message).toBe('ADMIN_ONLY_OPERATION');
  });

  it('accepts only the configured API key if there is one', async () => {
    const keyed = await startIdentityServer({ options: { apiKey: 'the-key' } });
    const { status, body } = await keyed.post('/v1/accounts:signUp?key=another', {});
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      errors: [{ reason: 'badRequest' }],
      details: [{ reason: 'API_KEY_INVALID' }],
    });
    expect((await keyed.post('/v1/accounts:signUp?key=the-key', {})).message).toBe('ADMIN_ONLY_OPERATION');
    expect((await get('/v1/projects?key=another', keyed)).status).toBe(400);
    await keyed.close();
  });
});

describe('Identity routes that do not exist', () => {
  it('are answered in the error format of Identity Toolkit below the host names that Google’s clients put before the path', async () => {
    for (const path of [
      '/identitytoolkit.googleapis.com/v1/accounts:nothing',
      '/securetoken.googleapis.com/',
      '/identitytoolkit.googleapis.com/v1/accounts:signUp',
    ]) {
      const { status, body, headers } = await get(path);
      expect([status, body.error.message, body.error.status]).toEqual([404, 'Not Found', 'NOT_FOUND']);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('are answered 404, while methods that Chiffchaff does not offer are answered 501', async () => {
    for (const path of [
      '/v1/accounts:signInWithIdp',
      '/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start',
      '/v2/accounts:revokeToken',
    ]) {
      const { status, message } = await server.post(path, {});
      expect(status).toBe(501);
      expect(message).toMatch(/^OPERATION_NOT_ALLOWED : /);
    }
    const link = await server.post('/v1/accounts:sendOobCode', { requestType: 'EMAIL_SIGNIN', email: freshEmail() });
    expect(link.message).toMatch(/^OPERATION_NOT_ALLOWED : /);
  });

  it('include the routes of the test mailbox unless the mailbox is switched on', async () => {
    const mailer = {
      maxPauseMs: 0,
      send: async () => {},
      close: () => {},
    };
    const real = await startIdentityServer({ options: { mailer } });
    expect((await get('/dev/oob-codes', real)).status).toBe(404);
    expect((await get('/dev/oob-codes')).body).toEqual({ oobCodes: expect.any(Array) });
    await real.close();
  });
});

it('The test mailbox can be read from the machine itself, but by no page of another origin', async () => {
  for (const origin of ['https://anywhere.example', configuredOrigin, 'null']) {
    const response = await fetch(`${server.origin}/dev/oob-codes`, { headers: { origin } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('cross-origin-resource-policy')).not.toBe('cross-origin');
  }
  const preflight = await fetch(`${server.origin}/dev/oob-codes`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
});

describe('Identity responses', () => {
  it('to sign-up and sign-in have the fields that clients read', async () => {
    const email = freshEmail();
    const created = await server.post('/v1/accounts:signUp', {
      email: email.toUpperCase(),
      password,
      displayName: 'Ada',
      returnSecureToken: true,
      clientType: 'CLIENT_TYPE_WEB',
    });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      kind: 'identitytoolkit#SignupNewUserResponse',
      localId: expect.stringMatching(/^[A-Za-z0-9]{28}$/),
      email,
      displayName: 'Ada',
      idToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresIn: '3600',
    });
    const signedIn = await server.post('/v1/accounts:signInWithPassword', { email, password });
    expect(signedIn.body).toEqual({
      kind: 'identitytoolkit#VerifyPasswordResponse',
      localId: created.body.localId,
      email,
      displayName: 'Ada',
      registered: true,
      idToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresIn: '3600',
    });
  });

  it('to accounts:lookup have times as strings, and password as the only sign-in provider', async () => {
    const email = freshEmail();
    const { idToken, localId } = (await server.post('/v1/accounts:signUp', { email, password })).body;
    const { body } = await server.post('/v1/accounts:lookup', { idToken });
    expect(body).toEqual({
      kind: 'identitytoolkit#GetAccountInfoResponse',
      users: [
        {
          localId,
          email,
          emailVerified: false,
          disabled: false,
          createdAt: expect.stringMatching(/^\d{13}$/),
          lastLoginAt: expect.stringMatching(/^\d{13}$/),
          validSince: expect.stringMatching(/^\d{10}$/),
          passwordUpdatedAt: expect.any(Number),
          providerUserInfo: [{ providerId: 'password', email, federatedId: email, rawId: email }],
        },
      ],
    });
  });

  it('to accounts:update have name and photo, and new tokens only if the old tokens ended', async () => {
    const { idToken } = (await server.post('/v1/accounts:signUp', { email: freshEmail(), password })).body;
    await server.post('/v1/accounts:update', { idToken, displayName: 'Ada', photoUrl: 'https://example.org/a.png' });
    const profile = await server.post('/v1/accounts:update', { idToken, displayName: 'Ada L.', photoUrl: null });
    expect(profile.body).toMatchObject({ displayName: 'Ada L.', photoUrl: 'https://example.org/a.png', emailVerified: false });
    expect(profile.body.idToken).toBeUndefined();
    const cleared = await server.post('/v1/accounts:update', { idToken, deleteAttribute: ['DISPLAY_NAME', 'PHOTO_URL'] });
    expect(cleared.body.displayName).toBeUndefined();
    expect(cleared.body.photoUrl).toBeUndefined();
    const changed = await server.post('/v1/accounts:update', { idToken, password: 'another horse' });
    expect(changed.body).toMatchObject({ idToken: expect.any(String), refreshToken: expect.any(String), expiresIn: '3600' });
    expect((await server.post('/v1/accounts:update', {})).message).toBe('INVALID_REQ_TYPE : Unsupported request parameters.');
    const unlinked = await server.post('/v1/accounts:update', { idToken: changed.body.idToken, deleteProvider: ['password'] });
    expect(unlinked.message).toMatch(/^OPERATION_NOT_ALLOWED/);
  });

  it('to the methods that read public settings have the fields that the SDK expects', async () => {
    for (const prefix of ['', '/identitytoolkit.googleapis.com']) {
      expect((await get(`${prefix}/v1/projects?key=k`)).body).toEqual({
        projectId: expect.stringMatching(/^\d{12}$/),
        authorizedDomains: ['localhost', 'birds.example.org'],
      });
      expect((await get(`${prefix}/v2/passwordPolicy?key=k`)).body).toMatchObject({
        customStrengthOptions: { minPasswordLength: 6, maxPasswordLength: 4096 },
        enforcementState: 'OFF',
        schemaVersion: 1,
      });
      expect(
        (await get(`${prefix}/v2/recaptchaConfig?clientType=CLIENT_TYPE_WEB&version=RECAPTCHA_ENTERPRISE&key=k`)).body,
      ).toEqual({
        recaptchaKey: expect.stringMatching(/^projects\/\d+\/keys\/\w+$/),
        recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
      });
    }
  });

  it('to accounts:createAuthUri list no sign-in methods, even for an address with an account', async () => {
    const email = freshEmail();
    await server.post('/v1/accounts:signUp', { email, password });
    const { body } = await server.post('/v1/accounts:createAuthUri', { identifier: email, continueUri: 'http://localhost' });
    expect(body).toEqual({ kind: 'identitytoolkit#CreateAuthUriResponse', sessionId: expect.any(String) });
    expect((await server.post('/v1/accounts:createAuthUri', { continueUri: 'http://localhost' })).message).toBe(
      'MISSING_IDENTIFIER',
    );
    expect((await server.post('/v1/accounts:createAuthUri', { identifier: 'x', continueUri: 'http://localhost' })).message).toBe(
      'INVALID_IDENTIFIER',
    );
    expect((await server.post('/v1/accounts:createAuthUri', { identifier: email })).message).toBe('MISSING_CONTINUE_URI');
  });
});

describe('A refused identity request', () => {
  it.each([
    ['signUp', {}, 'ADMIN_ONLY_OPERATION'],
    ['signUp', { password }, 'MISSING_EMAIL'],
    ['signUp', { email: '', password }, 'MISSING_EMAIL'],
    ['signUp', { email: 'a@example.org' }, 'MISSING_PASSWORD'],
    ['signUp', { email: 'a@example.org', password: '12345' }, 'WEAK_PASSWORD : Password should be at least 6 characters'],
    ['signUp', { email: 'a@b', password }, 'INVALID_EMAIL'],
    [
      'signUp',
      { email: 'a@example.org', password: 'x'.repeat(4097) },
      expect.stringMatching(/^PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: \[/),
    ],
    ['signInWithPassword', { password }, 'MISSING_EMAIL'],
    ['signInWithPassword', { email: '', password }, 'INVALID_EMAIL'],
    ['signInWithPassword', { email: 'a@example.org' }, 'MISSING_PASSWORD'],
    ['signInWithPassword', { email: 'a@example.org', password: 'x'.repeat(5000) }, 'INVALID_LOGIN_CREDENTIALS'],
    ['lookup', {}, 'MISSING_ID_TOKEN'],
    ['lookup', { idToken: 'nonsense' }, 'INVALID_ID_TOKEN'],
    ['delete', {}, 'MISSING_ID_TOKEN'],
    ['sendOobCode', {}, 'MISSING_REQ_TYPE'],
    ['sendOobCode', { requestType: 'NONSENSE' }, 'INVALID_REQ_TYPE'],
    ['sendOobCode', { requestType: 'PASSWORD_RESET' }, 'MISSING_EMAIL'],
    ['sendOobCode', { requestType: 'PASSWORD_RESET', email: 'x' }, 'INVALID_EMAIL'],
    ['sendOobCode', { requestType: 'VERIFY_EMAIL' }, 'MISSING_ID_TOKEN'],
    ['resetPassword', {}, 'MISSING_OOB_CODE'],
    ['resetPassword', { oobCode: 'nonsense' }, 'INVALID_OOB_CODE'],
    ['update', { oobCode: 'nonsense' }, 'INVALID_OOB_CODE'],
  ])('to %s with %j is answered %s', async (name, body, message) => {
    const answer = await server.post(`/v1/accounts:${name}`, body);
    expect(answer.status).toBe(400);
    expect(answer.message).toEqual(message);
  });

  it('says why: sign-up is closed, or a password cannot be reset because the server sends no email', async () => {
    const closed = await startIdentityServer({ options: { signUp: 'closed', mailer: null } });
    expect((await closed.post('/v1/accounts:signUp', { email: freshEmail(), password })).message).toBe('ADMIN_ONLY_OPERATION');
    const reset = await closed.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: freshEmail() });
    expect(reset.message).toBe('OPERATION_NOT_ALLOWED : This server does not send email.');
    await closed.close();
  });
});

describe('Identity methods without email enumeration protection', () => {
  let open: IdentityServer;
  beforeAll(async () => {
    open = await startIdentityServer({ options: { enumerationProtection: false } });
  });
  afterAll(() => open.close());

  it('distinguish an unknown address from a wrong password', async () => {
    const email = freshEmail();
    await open.post('/v1/accounts:signUp', { email, password });
    expect((await open.post('/v1/accounts:signInWithPassword', { email, password: 'wrong horse' })).message).toBe(
      'INVALID_PASSWORD',
    );
    expect((await open.post('/v1/accounts:signInWithPassword', { email: freshEmail(), password })).message).toBe(
      'EMAIL_NOT_FOUND',
    );
    expect((await open.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: freshEmail() })).message).toBe(
      'EMAIL_NOT_FOUND',
    );
    const uri = await open.post('/v1/accounts:createAuthUri', { identifier: email, continueUri: 'http://localhost' });
    expect(uri.body).toMatchObject({ registered: true, allProviders: ['password'], signinMethods: ['password'] });
  });

  it('change the email address at once, and notify the former address', async () => {
    const [email, newEmail, taken] = [freshEmail(), freshEmail(), freshEmail()];
    await open.post('/v1/accounts:signUp', { email: taken, password });
    const { idToken } = (await open.post('/v1/accounts:signUp', { email, password })).body;
    expect((await open.post('/v1/accounts:update', { idToken, email: taken })).message).toBe('EMAIL_EXISTS');
    const { body } = await open.post('/v1/accounts:update', { idToken, email: newEmail });
    expect(body).toMatchObject({ email: newEmail, newEmail, emailVerified: false, idToken: expect.any(String) });
    expect((await open.post('/v1/accounts:lookup', { idToken })).message).toBe('TOKEN_EXPIRED');
    await open.identity.methods.mailQueue?.settled();
    expect(open.mailbox.mails.at(-1)).toMatchObject({
      email,
      requestType: 'RECOVER_EMAIL',
      text: expect.stringContaining(newEmail),
    });
  });
});

describe('The public keys for ID tokens', () => {
  it('verify an ID token both as JWKS and as X.509 certificates, and may be cached for an hour in either form', async () => {
    const { idToken } = (await server.post('/v1/accounts:signUp', { email: freshEmail(), password })).body;
    const certificates = await get('/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com');
    const jwks = await get('/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com');
    for (const { headers } of [certificates, jwks]) {
      expect(headers.get('cache-control')).toContain('max-age=3600');
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    await jwtVerify(idToken, createLocalJWKSet(jwks.body), { algorithms: ['RS256'], audience: 'chiffchaff' });
    const [[kid, pem] = ['', '']] = Object.entries<string>(certificates.body);
    expect(kid).toBe(server.identity.methods.keys.current().kid);
    expect(new X509Certificate(pem).subject).toBe('CN=securetoken.chiffchaff');
    await jwtVerify(idToken, await importX509(pem, 'RS256'), { issuer: 'https://securetoken.google.com/chiffchaff' });
  });

  it('have only the public fields of a key as JWKS', async () => {
    const { text } = await get('/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com');
    expect(Object.keys(JSON.parse(text).keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});
