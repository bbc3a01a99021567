import { afterEach, describe, expect, it } from 'vitest';
import { type IdentityServer, noLimits, startIdentityServer } from '../testing/identity-server.ts';
import { argon2Hasher, defaultPasswordCost, type PasswordCost, type PasswordHasher, readCost } from './passwords.ts';

const servers: IdentityServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function start(...[options]: Parameters<typeof startIdentityServer>): Promise<IdentityServer> {
  const server = await startIdentityServer(options);
  servers.push(server);
  return server;
}

const email = 'ada@example.org';
const password = 'correct horse';
const signIn = (server: IdentityServer, body: Record<string, unknown>) => server.post('/v1/accounts:signInWithPassword', body);

describe('Sign-in with email address and password', () => {
  it('does the same work for an unknown address as for a known one', async () => {
    const work: (PasswordCost | null)[] = [];
    const hasher: PasswordHasher = {
      hash: (text, cost) => argon2Hasher.hash(text, cost),
      verify: (passwordHash, text) => {
        work.push(readCost(passwordHash));
        return argon2Hasher.verify(passwordHash, text);
      },
    };
    const server = await start({ options: { passwords: { hasher } } });
    await server.post('/v1/accounts:signUp', { email, password });
    work.length = 0;
    const known = await signIn(server, { email, password: 'wrong horse' });
    const unknown = await signIn(server, { email: 'nobody@example.org', password: 'wrong horse' });
    expect(work).toEqual([defaultPasswordCost, defaultPasswordCost]);
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });

  it('hashes the password again if the cost of hashing has been raised, without ending sessions', async () => {
    const server = await start();
    const { idToken } = (await server.post('/v1/accounts:signUp', { email, password })).body;
    const storedHash = async () =>
      (await server.database.query.selectFrom('accounts').select('passwordHash').executeTakeFirstOrThrow()).passwordHash;
    const weak = await argon2Hasher.hash(password, { memoryKib: 32, passes: 1, lanes: 1 });
    await server.database.change({}, (query) => query.updateTable('accounts').set({ passwordHash: weak }).execute());
    expect((await signIn(server, { email, password: 'wrong horse' })).status).toBe(400);
    expect(await storedHash()).toBe(weak);
    const answers = await Promise.all([signIn(server, { email, password }), signIn(server, { email, password })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(readCost(await storedHash())).toEqual({ memoryKib: 64, passes: 1, lanes: 1 });
    expect((await signIn(server, { email, password })).status).toBe(200);
    expect((await server.post('/v1/accounts:lookup', { idToken })).status).toBe(200);
  });

  it('refuses a password that was changed while it was being checked', async () => {
    const checking = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    let isHeld = false;
    const hasher: PasswordHasher = {
      hash: argon2Hasher.hash,
      verify: async (passwordHash, text) => {
        const isRight = await argon2Hasher.verify(passwordHash, text);
        if (isHeld) {
          checking.resolve();
          await changed.promise;
        }
        return isRight;
      },
    };
    const server = await start({
      options: { passwords: { hasher, cost: { memoryKib: 64, passes: 1, lanes: 1 }, concurrency: 2 } },
    });
    const { idToken } = (await server.post('/v1/accounts:signUp', { email, password })).body;
    isHeld = true;
    const attempt = signIn(server, { email, password });
    await checking.promise;
    server.advance(1);
    expect((await server.post('/v1/accounts:update', { idToken, password: 'another horse' })).status).toBe(200);
    changed.resolve();
    expect((await attempt).message).toBe('INVALID_LOGIN_CREDENTIALS');
  });

  it('is limited for each email address; looking up an account and refreshing a token are not', async () => {
    const server = await start({ options: { limits: { ...noLimits, signInPerAddress: { points: 3, windowSeconds: 600 } } } });
    const { idToken, refreshToken } = (await server.post('/v1/accounts:signUp', { email, password })).body;
    for (let attempt = 0; attempt < 3; attempt++) {
      expect((await signIn(server, { email, password: 'wrong horse' })).message).toBe('INVALID_LOGIN_CREDENTIALS');
    }
    const refused = await signIn(server, { email: email.toUpperCase(), password });
    expect([refused.status, refused.message]).toEqual([400, expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER : /)]);
    for (let call = 0; call < 50; call++) {
      expect((await server.post('/v1/accounts:lookup', { idToken })).status).toBe(200);
      expect((await server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken })).status).toBe(200);
    }
  });

  it('is refused when too many sign-ins wait, while looking up an account still works', async () => {
    const release = Promise.withResolvers<void>();
    let isHeld = false;
    const hasher: PasswordHasher = {
      hash: argon2Hasher.hash,
      verify: async () => {
        if (isHeld) await release.promise;
        return false;
      },
    };
    const server = await start({
      options: { passwords: { hasher, cost: { memoryKib: 64, passes: 1, lanes: 1 }, concurrency: 1, maxWaiting: 5 } },
    });
    const { idToken } = (await server.post('/v1/accounts:signUp', { email, password })).body;
    isHeld = true;
    // One is being checked and five wait; none is released yet, so every other attempt must be refused.
    const others = Promise.withResolvers<void>();
    const refusals: (string | undefined)[] = [];
    const points = Array.from({ length: 30 }, async () => {
      const { message } = await signIn(server, { email, password });
      if (refusals.push(message) === 24) others.resolve();
    });
    await others.promise;
    for (const message of refusals) expect(message).toMatch(/^TOO_MANY_ATTEMPTS_TRY_LATER/);
    expect((await server.post('/v1/accounts:lookup', { idToken })).status).toBe(200);
    release.resolve();
    await Promise.all(points);
    expect(refusals.slice(24)).toEqual(Array(6).fill('INVALID_LOGIN_CREDENTIALS'));
  });
});

describe('Sign-up', () => {
  it('creates one account when two requests for the same address arrive together', async () => {
    const server = await start();
    const points = Array.from({ length: 20 }, (_, index) =>
      server.post('/v1/accounts:signUp', { email: index % 2 === 0 ? email : email.toUpperCase(), password }),
    );
    const answers = await Promise.all(points);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ message }) => message === 'EMAIL_EXISTS')).toHaveLength(19);
    expect(await server.database.query.selectFrom('accounts').selectAll().execute()).toHaveLength(1);
    expect(await server.database.query.selectFrom('sessions').selectAll().execute()).toHaveLength(1);
  });

  it('is limited for each client', async () => {
    const server = await start({ options: { limits: { ...noLimits, signUpPerClient: { points: 2, windowSeconds: 600 } } } });
    const messages = [];
    for (const name of ['a', 'b', 'c'])
      messages.push((await server.post('/v1/accounts:signUp', { email: `${name}@example.org`, password })).message);
    expect(messages).toEqual([undefined, undefined, expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER/)]);
  });
});

describe('Emails with codes', () => {
  it('are limited alike for addresses with and without an account', async () => {
    const server = await start({ options: { limits: { ...noLimits, codeMailPerAddress: { points: 1, windowSeconds: 600 } } } });
    await server.post('/v1/accounts:signUp', { email, password });
    for (const address of [email, 'nobody@example.org']) {
      const ask = () => server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: address });
      expect((await ask()).body).toEqual({ kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email: address });
      expect((await ask()).message).toMatch(/^RESET_PASSWORD_EXCEED_LIMIT/);
    }
  });
});
