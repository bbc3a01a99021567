import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeAccount } from '../accounts/account-store.ts';
import { type Answer, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

const password = 'correct horse';
const hour = 3600;

let folder: string;
let server: IdentityServer;
/** Restarts the server with its clock moved by `clockSeconds`. */
async function restart(clockSeconds: number): Promise<void> {
  await server.close();
  server = await startIdentityServer({ folder });
  server.advance(clockSeconds);
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-refresh-'));
  server = await startIdentityServer({ folder });
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

describe('A signed-in client', () => {
  it('keeps its refresh token, session and sign-in time when it refreshes its ID token', async () => {
    const person = await signUp();
    let { idToken } = person;
    for (let time = 0; time < 4; time++) {
      const next = await nextRefresh(person.refreshToken);
      expect(next.refreshToken).toBe(person.refreshToken);
      ({ idToken } = next);
    }
    const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims(idToken)).toMatchObject({ sid: claims(person.idToken).sid, auth_time: claims(person.idToken).auth_time });
    expect(said(await lookup(idToken))).toBe(200);
  });

  it('keeps all its tabs signed in, even if they refresh their ID token at the same moment', async () => {
    const { refreshToken } = await signUp();
    server.advance(hour);
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)));
    expect(answers.map(({ body }) => body.refresh_token)).toEqual(Array.from({ length: 5 }, () => refreshToken));
    await nextRefresh(refreshToken);
  });

  it('stays signed in after the server restarts, and while the server’s clock is set back and forth', async () => {
    const { refreshToken } = await signUp();
    await nextRefresh(refreshToken);
    await restart(-5 * hour);
    const atOnce = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    expect(atOnce.map(said)).toEqual([200, 200]);
    await nextRefresh(refreshToken);
    server.advance(5 * hour);
    await nextRefresh(refreshToken);
  });

  it('of a disabled account can use its refresh token once the account is enabled again', async () => {
    const { localId, refreshToken } = await signUp();
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
    expect(said(await refresh(refreshToken))).toBe('USER_DISABLED');
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: false }));
    await nextRefresh(refreshToken);
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

it('The database contains no refresh token', async () => {
  const { refreshToken } = await signUp();
  const next = await nextRefresh(refreshToken);
  const stored = JSON.stringify(await server.database.query.selectFrom('sessions').selectAll().execute());
  for (const secret of next.refreshToken.split('.').slice(1)) expect(stored).not.toContain(secret);
});
