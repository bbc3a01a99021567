import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { guardAccess } from '../../http/access.ts';
import { answerError } from '../../http/error-handler.ts';
import { createExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import { moveClock } from '../../testing/move-clock.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { changeAccount } from '../accounts/account-store.ts';
import { createSignOuts } from '../accounts/sign-outs.ts';
import { createForeignIdentity, type ForeignIdentityOptions } from '../create-foreign-identity.ts';
import { accountRoutes } from '../routes/account-routes.ts';
import { JWKS_PATH } from '../routes/public-key-routes.ts';
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/**
 * A server whose accounts live elsewhere. An embedded service on another port stands in for Google: it publishes its keys and answers
 * lookups the same way. It also stands in for the emulator, with unsigned tokens.
 */

let google: IdentityServer;
let folder: string;
let database: Database;
let app: FastifyInstance;
let closeIdentity: () => Promise<void>;
let passedMs = 0;
const forgotten: string[] = [];

beforeEach(async () => {
  google = await startIdentityServer();
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-foreign-'));
  database = await openTestDatabase(folder);
  passedMs = 0;
});
afterEach(async () => {
  await app?.close();
  await google.close();
  await database.close();
  await dropTestDatabase(folder);
  rmSync(folder, { recursive: true, force: true });
});

function letPass(milliseconds: number): void {
  passedMs += milliseconds;
  moveClock(passedMs);
}

async function start(options: Partial<ForeignIdentityOptions> = {}): Promise<void> {
  const identity = createForeignIdentity({
    mode: 'firebase',
    database,
    projectId: 'chiffchaff',
    signOuts: createSignOuts(),
    baseUrl: google.origin,
    apiKey: 'key',
    keysUrl: google.origin + JWKS_PATH,
    production: true,
    onAccountDeleted: async (accountId) => void forgotten.push(accountId),
    exportParts: [],
    log: { warn: () => {}, error: () => {} },
    ...options,
  });
  closeIdentity = identity.close;
  app = fastify();
  app.setErrorHandler(answerError);
  guardAccess(app, identity.authenticate);
  await app.register(accountRoutes, { identity, exports: createExportsUnderWay() });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.get('/readable', { config: { access: 'signedIn', tokenScopes: ['read'] } }, async () => 'read');
}

async function ask(idToken: string, method: 'GET' | 'DELETE' = 'GET', url = '/v1/account/terms'): Promise<string> {
  const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${idToken}` } });
  return answer.statusCode === 200 ? 'accepted' : answer.json().code;
}

const email = 'ada@example.org';
const signUp = async (): Promise<{ idToken: string; localId: string }> =>
  (await google.post('/v1/accounts:signUp', { email, password: 'correct horse' })).body;

describe('Accounts at Firebase', () => {
  it('have tokens that are accepted if the service signed them, and refused otherwise', async () => {
    await start();
    const { idToken } = await signUp();
    expect(await ask(idToken)).toBe('accepted');
    expect(await ask(`${idToken.slice(0, -8)}AAAAAAAA`)).toBe('SESSION_EXPIRED');
    const { body } = await google.post('/v1/accounts:lookup', { idToken });
    const unsigned = new UnsecuredJWT({ auth_time: 1, user_id: body.users[0].localId }).setSubject(body.users[0].localId);
    const forged = unsigned
      .setIssuer('https://securetoken.google.com/chiffchaff')
      .setAudience('chiffchaff')
      .setIssuedAt()
      .setExpirationTime('1h')
      .encode();
    expect(await ask(forged)).toBe('SESSION_EXPIRED');
  });

  it('have tokens that are refused if they belong to another project', async () => {
    await start({ projectId: 'other-project' });
    expect(await ask((await signUp()).idToken)).toBe('SESSION_EXPIRED');
  });

  it('are refused within a minute after they were disabled', async () => {
    await start();
    const { idToken, localId } = await signUp();
    expect(await ask(idToken)).toBe('accepted');
    await google.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
    letPass(61_000);
    expect(await ask(idToken)).toBe('SESSION_EXPIRED');
  });

  it('are refused within a minute after they were deleted, with at most one request a minute to Firebase', async () => {
    await start();
    const { idToken } = await signUp();
    const lookups = () => google.logLines.filter((line) => line.includes('accounts:lookup') && line.includes('incoming')).length;
    await Promise.all(Array.from({ length: 10 }, () => ask(idToken)));
    expect(lookups()).toBe(1);
    await google.post('/v1/accounts:delete', { idToken });
    expect(await ask(idToken)).toBe('accepted');
    letPass(61_000);
    expect(await ask(idToken)).toBe('SESSION_EXPIRED');
    expect(lookups()).toBe(2);
  });

  it('are refused with IDENTITY_UNAVAILABLE, and not signed out, while Firebase cannot be reached', async () => {
    const { idToken } = await signUp();
    await start({ baseUrl: 'http://127.0.0.1:1' });
    expect(await ask(idToken)).toBe('IDENTITY_UNAVAILABLE');
    await start({ keysUrl: 'http://127.0.0.1:1/keys' });
    expect(await ask(idToken)).toBe('IDENTITY_UNAVAILABLE');
  });

  it('are not signed out if the server is configured with a wrong API key', async () => {
    await google.close();
    google = await startIdentityServer({ options: { apiKey: 'the-key' } });
    const { body } = await google.post('/v1/accounts:signUp?key=the-key', { email, password: 'correct horse' });
    await start({ apiKey: 'another' });
    expect(await ask(body.idToken)).toBe('IDENTITY_UNAVAILABLE');
    await start({ apiKey: 'the-key' });
    expect(await ask(body.idToken)).toBe('accepted');
  });

  describe('API tokens of these accounts', () => {
    const makeToken = async (idToken: string, expiresInDays?: number) => {
      const payload = { name: 'x', scopes: ['read'], ...(expiresInDays === undefined ? {} : { expiresInDays }) };
      const headers = { authorization: `Bearer ${idToken}` };
      return (await app.inject({ method: 'POST', url: '/v1/account/tokens', headers, payload })).json();
    };

    it('are accepted without a request to Firebase, must expire within 90 days, and end when stored data is deleted', async () => {
      await start();
      const { idToken } = await signUp();
      expect((await makeToken(idToken)).code).toBe('REQUEST_INVALID');
      expect((await makeToken(idToken, 91)).code).toBe('REQUEST_INVALID');
      const { secret } = await makeToken(idToken, 90);
      await google.close();
      expect(await ask(secret, 'GET', '/readable')).toBe('accepted');
      expect(await ask(secret)).toBe('API_TOKEN_NOT_ALLOWED');
      expect(await ask(idToken, 'DELETE', '/v1/account')).toBe('accepted');
      expect(await ask(secret, 'GET', '/readable')).toBe('API_TOKEN_INVALID');
      google = await startIdentityServer();
    });

    it('expire after the days for which they were created', async () => {
      await start();
      const { secret } = await makeToken((await signUp()).idToken, 90);
      letPass(90 * 86_400_000 - 5000);
      expect(await ask(secret, 'GET', '/readable')).toBe('accepted');
      letPass(5000);
      expect(await ask(secret, 'GET', '/readable')).toBe('API_TOKEN_INVALID');
    });

    it('end when Firebase says that the account is disabled or deleted', async () => {
      await start();
      const { idToken, localId } = await signUp();
      const { secret } = await makeToken(idToken, 90);
      await google.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
      letPass(61_000);
      expect(await ask(idToken)).toBe('SESSION_EXPIRED');
      expect(await ask(secret, 'GET', '/readable')).toBe('API_TOKEN_INVALID');
    });
  });

  it('have agreements but no sessions stored by Chiffchaff, and what is stored about them can be deleted', async () => {
    await start();
    const { idToken, localId } = await signUp();
    const headers = { authorization: `Bearer ${idToken}` };
    await app.inject({ method: 'POST', url: '/v1/account/terms', headers, payload: { version: '1' } });
    const exported = (await app.inject({ url: '/v1/account/export', headers })).json();
    expect(exported).toMatchObject({ account: { localId, email }, terms: [{ version: '1' }] });
    expect(await ask(idToken, 'GET', '/v1/account/sessions')).not.toBe('accepted');
    expect(await ask(idToken, 'DELETE', '/v1/account')).toBe('accepted');
    expect(forgotten).toContain(localId);
    expect(await database.query.selectFrom('termsAcceptances').selectAll().execute()).toEqual([]);
  });
});

it('The deletion of an account at Firebase that an earlier run did not finish is continued at start', async () => {
  await database.change({}, (query) =>
    query.insertInto('accountDeletions').values({ accountId: 'left-behind', deletedAtMs: 1 }).execute(),
  );
  await start();
  await closeIdentity();
  expect(forgotten).toContain('left-behind');
  expect(await database.query.selectFrom('accountDeletions').selectAll().execute()).toEqual([]);
});

it('The deletion of an account at Firebase that failed is reported as INTERNAL, and completed at the next start of the server', async () => {
  const failing = async () => {
    throw new Error('the disk is busy');
  };
  await start({ onAccountDeleted: failing });
  const { idToken, localId } = await signUp();
  expect(await ask(idToken, 'DELETE', '/v1/account')).toBe('INTERNAL');
  letPass(1000);
  expect(await ask(idToken, 'DELETE', '/v1/account')).toBe('INTERNAL');
  await closeIdentity();
  await app.close();
  const notes = () => database.query.selectFrom('accountDeletions').selectAll().execute();
  const [note, ...others] = await notes();
  expect(others).toEqual([]);
  const asked: unknown[] = [];
  await start({ onAccountDeleted: async (...all) => void asked.push(all) });
  await closeIdentity();
  expect(asked).toEqual([[localId, note?.deletedAtMs]]);
  expect(await notes()).toEqual([]);
});

describe('Accounts at the Auth emulator', () => {
  const unsigned = (claims: Record<string, unknown> = {}) =>
    new UnsecuredJWT({ auth_time: Math.floor(Date.now() / 1000), ...claims })
      .setSubject('somebody')
      .setIssuer('https://securetoken.google.com/chiffchaff')
      .setAudience('chiffchaff')
      .setIssuedAt()
      .setExpirationTime('1h');

  async function startEmulator(users: readonly unknown[]): Promise<{ baseUrl: string; close: () => Promise<void> }> {
    const emulator = fastify();
    emulator.post('/identitytoolkit.googleapis.com/v1/accounts::lookup', async (_request, reply) =>
      users.length > 0 ? { users } : reply.code(400).send({ error: { code: 400, message: 'USER_NOT_FOUND' } }),
    );
    const origin = await emulator.listen({ host: '127.0.0.1', port: 0 });
    return { baseUrl: `${origin}/identitytoolkit.googleapis.com`, close: () => emulator.close() };
  }

  it('are accepted with unsigned tokens if the emulator knows the account', async () => {
    const emulator = await startEmulator([{ localId: 'somebody' }]);
    await start({ mode: 'emulator', production: false, baseUrl: emulator.baseUrl });
    expect(await ask(unsigned().encode())).toBe('accepted');
    expect(await ask(unsigned().setAudience('other-project').encode())).toBe('SESSION_EXPIRED');
    expect(await ask(unsigned().setExpirationTime('-1s').encode())).toBe('SESSION_EXPIRED');
    expect(await ask(`${unsigned().encode()}c2ln`)).toBe('SESSION_EXPIRED');
    await emulator.close();
  });

  it('are refused if the emulator does not know the account, or has disabled it', async () => {
    for (const users of [[], [{ localId: 'somebody', disabled: true }]]) {
      const emulator = await startEmulator(users);
      await start({ mode: 'emulator', production: false, baseUrl: emulator.baseUrl });
      expect(await ask(unsigned().encode())).toBe('SESSION_EXPIRED');
      await emulator.close();
    }
  });

  it('are refused with a signed token of another service', async () => {
    const { idToken } = await signUp();
    await start({ mode: 'emulator', production: false });
    expect(await ask(idToken)).toBe('SESSION_EXPIRED');
  });

  it('are never accepted in production: the server does not start', async () => {
    await expect(start({ mode: 'emulator', production: true })).rejects.toThrow('never accepted in production');
  });
});
