import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeAccount } from '../accounts/account-store.ts';
import { type Answer, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** `REFRESH_ROTATION=true`: refresh tokens of honest clients and of others. */

const password = 'correct horse';
const minute = 60;
const hour = 3600;

let folder: string;
let server: IdentityServer;
const start = (refreshRotation: boolean) => startIdentityServer({ folder, options: { refreshRotation } });
/** Restarts the server with its clock moved by `clockSeconds`. */
async function restart(refreshRotation: boolean, clockSeconds = 0): Promise<void> {
  await server.close();
  server = await start(refreshRotation);
  server.advance(clockSeconds);
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-rotation-'));
  server = await start(true);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

let counter = 0;
async function signUp() {
  const email = `birder-${++counter}@example.org`;
  const { body } = await server.post('/v1/accounts:signUp', { email, password });
  return { email, ...body };
}
const refresh = (refreshToken: string) => server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
const lookup = (idToken: string) => server.post('/v1/accounts:lookup', { idToken });
const said = ({ message, status }: Answer) => message ?? status;
/** An honest client's next refresh, an hour later. */
async function nextRefresh(refreshToken: string): Promise<{ refreshToken: string; idToken: string }> {
  server.advance(hour);
  const answer = await refresh(refreshToken);
  expect(said(answer)).toBe(200);
  return { refreshToken: answer.body.refresh_token, idToken: answer.body.id_token };
}

describe('With rotating refresh tokens, an honest client', () => {
  it('gets another token each time, in one session that keeps its sign-in time', async () => {
    const person = await signUp();
    const tokens = [person.refreshToken];
    let idToken = person.idToken;
    for (let time = 0; time < 4; time++) {
      const next = await nextRefresh(tokens.at(-1));
      tokens.push(next.refreshToken);
      ({ idToken } = next);
    }
    expect(new Set(tokens).size).toBe(5);
    const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims(idToken)).toMatchObject({ sid: claims(person.idToken).sid, auth_time: claims(person.idToken).auth_time });
    expect(said(await lookup(idToken))).toBe(200);
  });

  it('with tabs that refresh at the same moment stays signed in in all of them', async () => {
    const { refreshToken } = await signUp();
    server.advance(hour);
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)));
    const given = new Set(answers.map(({ body }) => body.refresh_token));
    expect(given.size).toBe(1);
    const [next = ''] = given;
    expect(next).not.toBe(refreshToken);
    await nextRefresh(next);
  });

  it('whose response was lost gets the same token again for two minutes', async () => {
    const { refreshToken } = await signUp();
    const lost = await nextRefresh(refreshToken);
    server.advance(2 * minute - 5);
    const again = await refresh(refreshToken);
    expect(again.body.refresh_token).toBe(lost.refreshToken);
    await nextRefresh(again.body.refresh_token);
  });

  it('with a tab that refreshes twice does not sign out its other tabs', async () => {
    const { refreshToken } = await signUp();
    const quick = await nextRefresh(refreshToken);
    expect((await refresh(quick.refreshToken)).body.refresh_token).toBe(quick.refreshToken);
    expect((await refresh(refreshToken)).body.refresh_token).toBe(quick.refreshToken);
    await nextRefresh(quick.refreshToken);
  });

  it('stays signed in after a restart, and while the clock is set back and forth', async () => {
    const person = await signUp();
    const { refreshToken } = await nextRefresh(person.refreshToken);
    await restart(true, -5 * hour);
    const atOnce = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    expect(atOnce.map(said)).toEqual([200, 200]);
    const next = await nextRefresh(atOnce[0]?.body.refresh_token);
    server.advance(5 * hour);
    await nextRefresh(next.refreshToken);
  });

  it('of a disabled account can use its token once the account is enabled again', async () => {
    const { localId, refreshToken } = await signUp();
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
    expect(said(await refresh(refreshToken))).toBe('USER_DISABLED');
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: false }));
    await nextRefresh(refreshToken);
  });
});

describe('A refresh token that was replaced', () => {
  it('ends its session, and no other, when it is used more than two minutes after it was replaced', async () => {
    const { email, refreshToken: stolen } = await signUp();
    const elsewhere = (await server.post('/v1/accounts:signInWithPassword', { email, password })).body;
    const own = await nextRefresh(stolen);
    server.advance(3 * minute);
    expect(said(await refresh(stolen))).toBe('TOKEN_EXPIRED');
    expect(said(await refresh(own.refreshToken))).toBe('TOKEN_EXPIRED');
    expect(said(await lookup(own.idToken))).toBe('TOKEN_EXPIRED');
    await nextRefresh(elsewhere.refreshToken);
  });

  it('ends its session also if a thief used it before the honest client did', async () => {
    const { refreshToken: own } = await signUp();
    const stolen = await nextRefresh(own);
    server.advance(hour);
    expect(said(await refresh(own))).toBe('TOKEN_EXPIRED');
    expect(said(await refresh(stolen.refreshToken))).toBe('TOKEN_EXPIRED');
  });

  it('ends its session when it is used again, however long ago it was replaced', async () => {
    const { refreshToken: first } = await signUp();
    const second = await nextRefresh(first);
    const third = await nextRefresh(second.refreshToken);
    expect(said(await refresh(first))).toBe('TOKEN_EXPIRED');
    expect(said(await refresh(third.refreshToken))).toBe('TOKEN_EXPIRED');
  });

  it('ends responses that are still being sent to its session', async () => {
    const { localId, idToken, refreshToken } = await signUp();
    const { sid: sessionId } = JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url').toString());
    let isCut = false;
    const cut = (): void => {
      isCut = true;
    };
    server.identity.signOuts.listen({ accountId: localId, sessionId }, cut, () => {});
    await nextRefresh(refreshToken);
    expect(isCut).toBe(false);
    server.advance(hour);
    await refresh(refreshToken);
    expect(isCut).toBe(true);
  });
});

it('An invented refresh token ends no session', async () => {
  const { refreshToken } = await signUp();
  const [project] = refreshToken.split('.');
  const unknown = 'A'.repeat(43);
  expect(said(await refresh(`${project}.${unknown}`))).toBe('INVALID_REFRESH_TOKEN');
  expect(said(await refresh(`${project}.${unknown}.${unknown}`))).toBe('INVALID_REFRESH_TOKEN');
  expect(said(await refresh(`${refreshToken}.`))).toBe('INVALID_REFRESH_TOKEN');
  await nextRefresh(refreshToken);
});

it('The database contains no refresh token, neither the first nor those after it', async () => {
  const { refreshToken } = await signUp();
  const next = await nextRefresh(refreshToken);
  const stored = JSON.stringify(await server.database.query.selectFrom('sessions').selectAll().execute());
  for (const secret of next.refreshToken.split('.').slice(1)) expect(stored).not.toContain(secret);
});

describe('Sessions when rotation of refresh tokens changes', () => {
  it('continue when it is turned on, and are protected from their next refresh', async () => {
    await restart(false);
    const { refreshToken } = await signUp();
    expect((await nextRefresh(refreshToken)).refreshToken).toBe(refreshToken);
    await restart(true, 2 * hour);
    const next = await nextRefresh(refreshToken);
    expect(next.refreshToken).not.toBe(refreshToken);
    server.advance(hour);
    expect(said(await refresh(refreshToken))).toBe('TOKEN_EXPIRED');
  });

  it('continue with their present token when it is turned off', async () => {
    const person = await signUp();
    const { refreshToken } = await nextRefresh(person.refreshToken);
    await restart(false, 2 * hour);
    expect((await nextRefresh(refreshToken)).refreshToken).toBe(refreshToken);
    expect((await nextRefresh(refreshToken)).refreshToken).toBe(refreshToken);
  });
});
