import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryLimiter } from '../../http/limits/limiters.ts';
import { type Answer, type IdentityServer, noLimits, startIdentityServer } from '../testing/identity-server.ts';

/** Limits per network address on codes, refresh tokens and operator secrets; attempt-limits.test.ts has the others. */

const two = { points: 2, windowSeconds: 3600 };
const secret = 'an-operator-secret';
const password = 'correct horse';
const said = ({ status, message, text }: Answer) => message?.split(' : ')[0] ?? (status === 200 ? status : text.trim());

let server: IdentityServer;
afterEach(() => server.close());
async function signUp(email: string) {
  return (await server.post('/v1/accounts:signUp', { email, password })).body;
}
async function mailedCode(request: Record<string, unknown>): Promise<string> {
  await server.post('/v1/accounts:sendOobCode', request);
  await server.identity.methods.mailQueue?.settled();
  return server.mailbox.mails.at(-1)?.oobCode ?? '';
}

describe('The attempt limit for emailed codes', () => {
  const check = (oobCode: string) => server.post('/v1/accounts:resetPassword', { oobCode });

  it('counts wrong codes, whichever identity method they are sent to', async () => {
    server = await startIdentityServer({ options: { limits: { ...noLimits, wrongCodePerClient: two } } });
    const { email } = await signUp('ada@example.org');
    const code = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    expect(said(await check('wrong'))).toBe('INVALID_OOB_CODE');
    expect(said(await server.post('/v1/accounts:update', { oobCode: 'wrong' }))).toBe('INVALID_OOB_CODE');
    for (const answer of [
      await check(code),
      await server.post('/v1/accounts:resetPassword', { oobCode: code, newPassword: 'another horse' }),
      await server.post('/v1/accounts:update', { oobCode: code }),
    ]) {
      expect(said(answer)).toBe('TOO_MANY_ATTEMPTS_TRY_LATER');
    }
  });

  it('does not count right codes, even if the new password sent with them is refused', async () => {
    server = await startIdentityServer({ options: { limits: { ...noLimits, wrongCodePerClient: two } } });
    const { email, idToken } = await signUp('ada@example.org');
    const code = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    for (let time = 0; time < 4; time++) expect(said(await check(code))).toBe(200);
    for (let time = 0; time < 4; time++) {
      const weak = await server.post('/v1/accounts:resetPassword', { oobCode: code, newPassword: 'weak' });
      expect(said(weak)).toBe('WEAK_PASSWORD');
    }
    const verification = await mailedCode({ requestType: 'VERIFY_EMAIL', idToken });
    expect(said(await server.post('/v1/accounts:update', { oobCode: verification }))).toBe(200);
    expect(said(await check('wrong'))).toBe('INVALID_OOB_CODE');
  });
});

it('A token refresh beyond the limit is answered in plain text, because JSON would make clients sign out', async () => {
  server = await startIdentityServer({ options: { limits: { ...noLimits, refreshPerClient: two } } });
  const { refreshToken } = await signUp('ada@example.org');
  const refresh = (token: string) => server.post('/v1/token', { grant_type: 'refresh_token', refresh_token: token });
  expect(said(await refresh(refreshToken))).toBe(200);
  expect(said(await refresh('unknown'))).toBe('INVALID_REFRESH_TOKEN');
  const beyond = await refresh(refreshToken);
  expect([beyond.status, beyond.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
});

describe('The attempt limit for operators’ secrets', () => {
  const lookup = (bearer: string | null) =>
    server.post('/v1/projects/chiffchaff/accounts:lookup?', {}, bearer === null ? {} : { authorization: `Bearer ${bearer}` });

  it('counts wrong secrets, and never refuses the right one', async () => {
    server = await startIdentityServer({
      options: { adminSecret: secret },
      wrongSecrets: createMemoryLimiter('wrongSecrets', two),
    });
    for (let time = 0; time < 3; time++) expect((await lookup(secret)).status).toBe(200);
    for (let time = 0; time < 3; time++) expect((await lookup(null)).status).toBe(401);
    expect([(await lookup('wrong')).status, (await lookup('worse')).status]).toEqual([401, 401]);
    expect(said(await lookup('wrong'))).toBe('TOO_MANY_ATTEMPTS_TRY_LATER');
    expect((await lookup(secret)).status).toBe(200);
    expect(said(await lookup('wrong'))).toBe('TOO_MANY_ATTEMPTS_TRY_LATER');
  });
});
