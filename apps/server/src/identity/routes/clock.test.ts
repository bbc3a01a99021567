import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveClock } from '../../testing/move-clock.ts';
import { type Answer, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** A machine whose wrong clock is corrected, in either direction, while people use it. */

const secret = 'an-operator-secret';
const password = 'correct horse';
const hour = 3600;
const day = 24 * hour;

let folder: string;
let server: IdentityServer;
const start = () => startIdentityServer({ folder, options: { adminSecret: secret } });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-clock-'));
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function restart(clockSeconds: number): Promise<void> {
  await server.close();
  moveClock(clockSeconds * 1000);
  server = await start();
  server.advance(clockSeconds);
}

let counter = 0;
/** What a device stores of a sign-in. */
type Held = Readonly<Record<'email' | 'localId' | 'idToken' | 'refreshToken', string>>;
async function hold(method: string, email: string, word = password): Promise<Held> {
  const answer = await server.post(`/v1/accounts:${method}`, { email, password: word });
  expect(said(answer)).toBe(200);
  return { ...answer.body, email };
}
const signUp = () => hold('signUp', `birder-${++counter}@example.org`);
const signIn = ({ email }: Held, word?: string) => hold('signInWithPassword', email, word);
const lookup = (idToken: string) => server.post('/v1/accounts:lookup', { idToken });
const refresh = (refreshToken: string) => server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
const said = ({ message, status }: Answer) => message ?? status;
const claimsOf = (idToken: string) => JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());

/** Both tokens are valid, also by Google's rule that compares `validSince` with `auth_time`. */
async function expectValid(person: Held): Promise<void> {
  const found = await lookup(person.idToken);
  expect(said(found)).toBe(200);
  expect(Number(found.body.users[0].validSince)).toBeLessThanOrEqual(claimsOf(person.idToken).auth_time);
  expect(said(await refresh(person.refreshToken))).toBe(200);
}

describe.each([
  ['back by five hours', -5 * hour],
  ['back by a hundred days', -100 * day],
  ['forward by five hours', 5 * hour],
])('A server clock that is set %s', (_how, seconds) => {
  const isBack = seconds < 0;

  it('keeps earlier sessions open, and lets people sign in', async () => {
    const before = await signUp();
    server.advance(seconds);
    // After a jump forward, the ID token has expired, as it would have anyway.
    if (isBack) await expectValid(before);
    expect(said(await refresh(before.refreshToken))).toBe(200);
    await expectValid(await signIn(before));
    await expectValid(await signUp());
  });

  it('does not revive sessions that a changed password ended, and accepts the new tokens', async () => {
    const person = await signUp();
    server.advance(seconds);
    const here = await signIn(person);
    const { body } = await server.post('/v1/accounts:update', { idToken: here.idToken, password: 'another horse' });
    await expectValid({ ...here, ...body });
    for (const ended of [person, here]) {
      expect(said(await lookup(ended.idToken))).toBe('TOKEN_EXPIRED');
      expect(said(await refresh(ended.refreshToken))).toBe('TOKEN_EXPIRED');
    }
    server.advance(-seconds);
    expect(said(await refresh(body.refreshToken))).toBe(200);
    expect(said(await lookup(person.idToken))).toBe('TOKEN_EXPIRED');
    await expectValid(await signIn(person, 'another horse'));
  });

  it('does not revive sessions ended by signing out everywhere', async () => {
    const person = await signUp();
    server.advance(seconds);
    await server.post(
      '/v1/projects/chiffchaff/accounts:update?',
      { localId: person.localId, validSince: Math.floor(Date.now() / 1000) },
      { authorization: `Bearer ${secret}` },
    );
    expect(said(await lookup(person.idToken))).toBe('TOKEN_EXPIRED');
    await expectValid(await signIn(person));
    server.advance(-seconds);
    expect(said(await lookup(person.idToken))).toBe('TOKEN_EXPIRED');
  });

  it('keeps sessions valid across restarts, before and after the clock is corrected', async () => {
    const person = await signUp();
    await restart(seconds);
    if (isBack) await expectValid(person);
    const again = await signIn(person);
    await expectValid(again);
    await restart(0);
    expect(said(await refresh(again.refreshToken))).toBe(200);
    await expectValid(await signIn(person));
  });

  it('requires a new sign-in before the password can be changed', async () => {
    const person = await signUp();
    server.advance(seconds);
    const idToken = isBack ? person.idToken : (await refresh(person.refreshToken)).body.id_token;
    const change = (token: string) => server.post('/v1/accounts:update', { idToken: token, password: 'another horse' });
    expect(said(await change(idToken))).toBe('CREDENTIAL_TOO_OLD_LOGIN_AGAIN');
    expect(said(await change((await signIn(person)).idToken))).toBe(200);
  });
});

describe('After the server’s clock was ahead and has been corrected,', () => {
  it('a code that was emailed before still expires within an hour', async () => {
    server.advance(300 * day);
    const { email } = await signUp();
    await server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email });
    await server.identity.methods.mailQueue?.settled();
    const oobCode = server.mailbox.mails.at(-1)?.oobCode;
    await restart(0);
    expect(said(await server.post('/v1/accounts:resetPassword', { oobCode }))).toBe(200);
    server.advance(hour + 60);
    expect(said(await server.post('/v1/accounts:resetPassword', { oobCode }))).toBe('EXPIRED_OOB_CODE');
  });

  it('an unused session that began before still expires within half a year', async () => {
    server.advance(300 * day);
    const { refreshToken } = await signUp();
    await restart(0);
    server.advance(181 * day);
    expect(said(await refresh(refreshToken))).toBe('TOKEN_EXPIRED');
  });
});

it('A validSince in the future, with which an operator ends sessions, is treated as the present time', async () => {
  const person = await signUp();
  const ahead = Math.floor(Date.now() / 1000) + hour;
  await server.post(
    '/v1/projects/chiffchaff/accounts:update?',
    { localId: person.localId, validSince: ahead },
    { authorization: `Bearer ${secret}` },
  );
  expect(said(await lookup(person.idToken))).toBe('TOKEN_EXPIRED');
  await expectValid(await signIn(person));
});
