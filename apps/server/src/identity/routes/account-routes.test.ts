import { accountExportSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guardAccess } from '../../http/access.ts';
import { answerError } from '../../http/error-handler.ts';
import { createExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import type { Identity } from '../open-embedded-identity.ts';
import { answerOf, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';
import { accountRoutes } from './account-routes.ts';

async function register(app: FastifyInstance, identity: Identity): Promise<void> {
  app.setErrorHandler(answerError);
  await app.register(async (scope) => {
    guardAccess(scope, identity.authenticate);
    await scope.register(accountRoutes, { identity, exports: createExportsUnderWay() });
  });
}

let server: IdentityServer;
let deletionFails = false;
beforeAll(async () => {
  server = await startIdentityServer({
    options: {
      exportParts: [{ name: 'predictions', export: async (accountId) => [{ of: accountId }] }],
      onAccountDeleted: async (accountId) => {
        if (deletionFails) throw new Error('the disk is busy');
        server.forgotten.push(accountId);
      },
    },
    register,
  });
});
afterAll(() => server.close());

let counter = 0;
interface Person {
  readonly email: string;
  readonly localId: string;
  readonly idToken: string;
  readonly refreshToken: string;
}
async function signUp(fields: Record<string, unknown> = {}): Promise<Person> {
  const email = `birder-${++counter}@example.org`;
  const { body } = await server.post(
    '/v1/accounts:signUp',
    { email, password: 'correct horse', ...fields },
    { 'user-agent': 'Wren/1.0' },
  );
  return { ...body, email };
}
async function signInAgain({ email }: Person): Promise<Person> {
  const { body } = await server.post(
    '/v1/accounts:signInWithPassword',
    { email, password: 'correct horse' },
    { 'user-agent': 'Robin/2.0' },
  );
  return { ...body, email };
}
async function call(method: string, path: string, idToken: string | null, body?: unknown) {
  const headers = {
    ...(idToken === null ? {} : { authorization: `Bearer ${idToken}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return answerOf(
    await fetch(server.origin + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  );
}
async function problem(answer: Promise<{ status: number; text: string }>) {
  const { status, text } = await answer;
  return [status, JSON.parse(text).code];
}

describe('A caller of the account routes', () => {
  it('must have a session that is still valid', async () => {
    const person = await signUp();
    for (const [method, path] of [
      ['GET', '/v1/account/terms'],
      ['GET', '/v1/account/sessions'],
      ['GET', '/v1/account/export'],
      ['DELETE', '/v1/account'],
    ] as const) {
      expect(await problem(call(method, path, null))).toEqual([401, 'SIGN_IN_REQUIRED']);
      expect(await problem(call(method, path, 'nonsense'))).toEqual([401, 'SESSION_EXPIRED']);
    }
    await server.post('/v1/accounts:update', { idToken: person.idToken, password: 'another horse' });
    expect(await problem(call('GET', '/v1/account/terms', person.idToken))).toEqual([401, 'SESSION_EXPIRED']);
  });
});

describe('The agreement to the terms of use', () => {
  it('is stored with the account and its time at sign-up', async () => {
    const { idToken } = await signUp({ termsVersion: '2026-05' });
    const { body } = await call('GET', '/v1/account/terms', idToken);
    expect(body.accepted).toEqual([{ version: '2026-05', acceptedAt: expect.any(String) }]);
    // biome-ignore lint/plugin: a moment of today, not a measurement
    expect(Date.now() - Date.parse(body.accepted[0].acceptedAt)).toBeLessThan(60_000);
  });

  it('can be given later, and keeps the time at which it was first given', async () => {
    const { idToken } = await signUp();
    const first = await call('POST', '/v1/account/terms', idToken, { version: '1' });
    server.advance(10);
    await call('POST', '/v1/account/terms', idToken, { version: '2' });
    const { body } = await call('POST', '/v1/account/terms', idToken, { version: '1' });
    expect(body.accepted.map(({ version }: { version: string }) => version)).toEqual(['2', '1']);
    expect(body.accepted[1]).toEqual(first.body.accepted[0]);
    expect(await problem(call('POST', '/v1/account/terms', idToken, { version: '' }))).toEqual([400, 'REQUEST_INVALID']);
  });
});

describe('The sessions of an account', () => {
  it('are listed with the name of their program, and the caller’s is marked', async () => {
    const first = await signUp();
    server.advance(5);
    const second = await signInAgain(first);
    const { body } = await call('GET', '/v1/account/sessions', second.idToken);
    expect(body.sessions).toMatchObject([
      { userAgent: 'Robin/2.0', current: true },
      { userAgent: 'Wren/1.0', current: false },
    ]);
    expect(JSON.stringify(body)).not.toContain(first.localId);
  });

  it('can all be ended except the session that requests it', async () => {
    const first = await signUp();
    const second = await signInAgain(first);
    expect((await call('DELETE', '/v1/account/sessions?except=current', second.idToken)).body).toEqual({ ended: 1 });
    expect((await server.post('/v1/accounts:lookup', { idToken: first.idToken })).message).toBe('TOKEN_EXPIRED');
    expect((await server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: first.refreshToken })).message).toBe(
      'TOKEN_EXPIRED',
    );
    expect((await server.post('/v1/accounts:lookup', { idToken: second.idToken })).status).toBe(200);
  });

  it('can all be ended, including the session that requests it', async () => {
    const first = await signUp();
    const second = await signInAgain(first);
    expect((await call('DELETE', '/v1/account/sessions', second.idToken)).body).toEqual({ ended: 2 });
    expect(await problem(call('GET', '/v1/account/sessions', second.idToken))).toEqual([401, 'SESSION_EXPIRED']);
  });

  it.each(['', '?except=current'])(
    'lose a code for a new email address that they requested when ended by DELETE /v1/account/sessions%s',
    async (which) => {
      const stolen = await signUp();
      const own = await signInAgain(stolen);
      const newEmail = `thief-${++counter}@example.org`;
      await server.post('/v1/accounts:sendOobCode', {
        requestType: 'VERIFY_AND_CHANGE_EMAIL',
        idToken: stolen.idToken,
        newEmail,
      });
      await server.identity.methods.mailQueue?.settled();
      const { oobCode } = server.mailbox.mails.at(-1) ?? {};
      expect((await server.post('/v1/accounts:resetPassword', { oobCode })).body).toMatchObject({ newEmail });
      await call('DELETE', `/v1/account/sessions${which}`, own.idToken);
      expect((await server.post('/v1/accounts:update', { oobCode })).message).toBe('INVALID_OOB_CODE');
    },
  );

  it('can be ended one by one, including the caller’s own', async () => {
    const first = await signUp();
    const second = await signInAgain(first);
    const { body } = await call('GET', '/v1/account/sessions', second.idToken);
    const other = body.sessions.find(({ current }: { current: boolean }) => !current);
    expect((await call('DELETE', `/v1/account/sessions/${other.id}`, second.idToken)).body).toEqual({ ended: 1 });
    expect(await problem(call('DELETE', `/v1/account/sessions/${other.id}`, second.idToken))).toEqual([404, 'NOT_FOUND']);
    expect((await call('DELETE', '/v1/account/sessions/current', second.idToken)).body).toEqual({ ended: 1 });
    expect(await problem(call('GET', '/v1/account/sessions', second.idToken))).toEqual([401, 'SESSION_EXPIRED']);
  });

  it('cannot be found or ended by another account', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const { body } = await call('GET', '/v1/account/sessions', other.idToken);
    expect(await problem(call('DELETE', `/v1/account/sessions/${body.sessions[0].id}`, one.idToken))).toEqual([404, 'NOT_FOUND']);
    expect((await call('GET', '/v1/account/sessions', other.idToken)).status).toBe(200);
  });
});

describe('The export of an account', () => {
  it('contains the account, its sessions, its agreements and everything else stored about it, but no secrets', async () => {
    const person = await signUp({ termsVersion: '1', displayName: 'Ada' });
    const { body, headers, text } = await call('GET', '/v1/account/export', person.idToken);
    expect(headers.get('content-disposition')).toBe('attachment; filename="chiffchaff-account.json"');
    expect(body).toMatchObject({
      account: { localId: person.localId, email: person.email, displayName: 'Ada' },
      terms: [{ version: '1' }],
      sessions: [{ userAgent: 'Wren/1.0' }],
      predictions: [{ of: person.localId }],
    });
    expect(text).not.toMatch(/argon2|refreshToken|Hash/);
  });
});

describe('The export of an account with very many predictions', () => {
  it('is sent while its rows are still being read', async () => {
    const received = Promise.withResolvers<void>();
    async function* rows(of: string) {
      yield { of, note: 'x'.repeat(100_000) };
      await received.promise;
      yield { of, note: 'the last' };
    }
    async function* noRows() {}
    const large = await startIdentityServer({
      options: {
        exportParts: [
          { name: 'predictions', export: rows },
          { name: 'none', export: noRows },
        ],
      },
      register,
    });
    const { body: person } = await large.post('/v1/accounts:signUp', { email: 'much@example.org', password: 'correct horse' });
    const answer = await fetch(`${large.origin}/v1/account/export`, { headers: { authorization: `Bearer ${person.idToken}` } });
    let text = '';
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.length > 100_000) received.resolve();
    }
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { localId } = person;
    expect(accountExportSchema.parse(JSON.parse(text))).toMatchObject({
      account: { localId },
      predictions: [{ of: localId }, { of: localId, note: 'the last' }],
      none: [],
    });
    await large.close();
  });
});

describe('Deleting an account', () => {
  it('deletes it with everything that is stored about it', async () => {
    const person = await signUp({ termsVersion: '1' });
    expect((await call('DELETE', '/v1/account', person.idToken)).body).toEqual({ deleted: true });
    expect(server.forgotten).toContain(person.localId);
    const { query } = server.database;
    for (const table of ['termsAcceptances', 'sessions', 'accountDeletions'] as const) {
      expect(await query.selectFrom(table).selectAll().where('accountId', '=', person.localId).execute(), table).toEqual([]);
    }
    expect(await query.selectFrom('accounts').selectAll().where('id', '=', person.localId).execute()).toEqual([]);
    // The remaining session rows tell a stale token from an unknown one and contain no personal data.
    const left = await query.selectFrom('sessions').selectAll().where('accountId', 'is', null).execute();
    expect(left.map(({ userAgent, endReason }) => [userAgent, endReason])).toContainEqual([null, 'accountDeleted']);
    expect(left.filter(({ userAgent }) => userAgent !== null)).toEqual([]);
  });

  it('requires a sign-in within the last five minutes', async () => {
    const person = await signUp();
    server.advance(301);
    expect(await problem(call('DELETE', '/v1/account', person.idToken))).toEqual([400, 'CREDENTIAL_TOO_OLD_LOGIN_AGAIN']);
  });

  it('is finished later if a step of it fails', async () => {
    const person = await signUp();
    deletionFails = true;
    expect((await server.post('/v1/accounts:delete', { idToken: person.idToken })).status).toBe(200);
    deletionFails = false;
    expect(server.forgotten).not.toContain(person.localId);
    await server.identity.deletion.resume();
    expect(server.forgotten).toContain(person.localId);
    expect(await server.database.query.selectFrom('accountDeletions').selectAll().execute()).toEqual([]);
  });
});
