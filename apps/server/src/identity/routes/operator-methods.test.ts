import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

let server: IdentityServer;
const secret = 'an-operator-secret';
beforeAll(async () => {
  server = await startIdentityServer({ options: { adminSecret: secret } });
});
afterAll(() => server.close());

const base = '/v1/projects/chiffchaff/accounts';
const operate = (path: string, body: unknown, at = server) => at.post(`${path}?`, body, { authorization: `Bearer ${secret}` });
const password = 'correct horse';
let counter = 0;
const freshEmail = () => `birder-${++counter}@example.org`;
async function signUp() {
  const email = freshEmail();
  return { ...(await server.post('/v1/accounts:signUp', { email, password })).body, email };
}
const lookup = (idToken: string) => server.post('/v1/accounts:lookup', { idToken });

describe('Operators of the identity service', () => {
  it('need the configured secret; “owner”, as for the Firebase emulator, is refused', async () => {
    for (const path of [base, `${base}:lookup`, `/identitytoolkit.googleapis.com${base}:delete`]) {
      for (const headers of [
        {},
        { authorization: 'Bearer owner' },
        { authorization: `Basic ${secret}` },
        { authorization: `Bearer ${secret}x` },
      ]) {
        const { status, body } = await server.post(path, {}, headers);
        expect([status, body.error.status]).toEqual([401, 'UNAUTHENTICATED']);
      }
    }
  });

  it('are answered 404 if no secret is configured', async () => {
    const without = await startIdentityServer();
    expect((await operate(`/identitytoolkit.googleapis.com${base}:lookup`, {}, without)).status).toBe(404);
    expect((await operate(`${base}:lookup`, {}, without)).status).toBe(404);
    await without.close();
  });

  it('are answered 404 if they name another project', async () => {
    expect((await operate('/v1/projects/other-project/accounts:lookup', {})).status).toBe(404);
  });

  it('create accounts that can sign in', async () => {
    const email = freshEmail();
    const created = await operate(base, { email, password, localId: 'chosen-id', emailVerified: true, displayName: 'Ada' });
    expect(created.body).toMatchObject({ localId: 'chosen-id', email });
    expect((await server.post('/v1/accounts:signInWithPassword', { email, password })).body.localId).toBe('chosen-id');
    expect((await operate(base, { email: freshEmail(), password, localId: 'chosen-id' })).message).toBe('DUPLICATE_LOCAL_ID');
    expect((await operate(base, { email, password })).message).toBe('EMAIL_EXISTS');
    expect((await operate(base, { email: freshEmail(), password, localId: '../x' })).message).toBe('INVALID_LOCAL_ID');
  });

  it('find accounts by id and address, and get no error if there is none', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const { body } = await operate(`${base}:lookup`, { localId: [one.localId, 'nobody'], email: [other.email, one.email] });
    expect(body.users.map(({ email }: { email: string }) => email).sort()).toEqual([one.email, other.email].sort());
    expect((await operate(`${base}:lookup`, { localId: ['nobody'] })).body).toEqual({
      kind: 'identitytoolkit#GetAccountInfoResponse',
    });
  });

  it('disable an account, which ends its sessions, and enable it', async () => {
    const { email, localId, idToken } = await signUp();
    await operate(`${base}:update`, { localId, disableUser: true });
    expect((await lookup(idToken)).message).toBe('USER_DISABLED');
    await operate(`${base}:update`, { localId, disableUser: false });
    expect((await lookup(idToken)).message).toBe('TOKEN_EXPIRED');
    expect((await server.post('/v1/accounts:signInWithPassword', { email, password })).status).toBe(200);
  });

  it('end the sessions of an account', async () => {
    const { localId, idToken, refreshToken } = await signUp();
    await operate(`${base}:update`, { localId, validSince: Math.floor(Date.now() / 1000) });
    expect((await lookup(idToken)).message).toBe('TOKEN_EXPIRED');
    expect((await server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken })).message).toBe(
      'TOKEN_EXPIRED',
    );
  });

  it('add claims to an account’s ID tokens, from the next token on', async () => {
    const { localId, refreshToken } = await signUp();
    await operate(`${base}:update`, { localId, customAttributes: '{"plan":"club"}' });
    expect((await operate(`${base}:update`, { localId, customAttributes: '{"sub":"x"}' })).message).toBe('FORBIDDEN_CLAIM : sub');
    const { body } = await server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString()).plan).toBe('club');
  });

  it('change the password and email address of an account, which ends its sessions', async () => {
    const { localId, idToken } = await signUp();
    const email = freshEmail();
    await operate(`${base}:update`, { localId, email, password: 'another horse' });
    expect((await lookup(idToken)).message).toBe('TOKEN_EXPIRED');
    expect((await server.post('/v1/accounts:signInWithPassword', { email, password: 'another horse' })).status).toBe(200);
  });

  it('delete accounts, whose tokens are then refused', async () => {
    const { localId, idToken } = await signUp();
    expect((await operate(`${base}:delete`, { localId })).status).toBe(200);
    expect((await lookup(idToken)).message).toBe('USER_NOT_FOUND');
    expect(server.forgotten).toContain(localId);
    expect((await operate(`${base}:delete`, { localId })).message).toBe('USER_NOT_FOUND');
    expect((await operate(`${base}:delete`, {})).message).toBe('MISSING_LOCAL_ID');
  });

  it('list all accounts page by page', async () => {
    const seen: string[] = [];
    let token = '';
    do {
      const url = `${server.origin}${base}:batchGet?maxResults=3${token === '' ? '' : `&nextPageToken=${token}`}`;
      const { body } = await answerOf(await fetch(url, { headers: { authorization: `Bearer ${secret}` } }));
      for (const { localId } of body.users ?? []) seen.push(localId);
      token = body.nextPageToken ?? '';
    } while (token !== '');
    const { count } = await server.database.query
      .selectFrom('accounts')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(new Set(seen).size).toBe(count);
    expect(seen).toHaveLength(count);
  });

  it('get a password reset link to hand over in person', async () => {
    const { email } = await signUp();
    const { body } = await operate(`${base}:sendOobCode`, { requestType: 'PASSWORD_RESET', email, returnOobLink: true });
    expect(new URL(body.oobLink).searchParams.get('oobCode')).toBe(body.oobCode);
    expect(
      (await server.post('/v1/accounts:resetPassword', { oobCode: body.oobCode, newPassword: 'another horse' })).status,
    ).toBe(200);
    const unknown = await operate(`${base}:sendOobCode`, {
      requestType: 'PASSWORD_RESET',
      email: freshEmail(),
      returnOobLink: true,
    });
    expect(unknown.message).toBe('EMAIL_NOT_FOUND');
  });
});
