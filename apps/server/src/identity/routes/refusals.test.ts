import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeAccount } from '../accounts/account-store.ts';
import { makeLink } from '../codes/code-mails.ts';
import type { CodeMail, Mailer } from '../mail/mailer.ts';
import { answerOf, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** Forged, stale and foreign credentials, against the running service. */

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.close());

const password = 'correct horse';
let counter = 0;
const freshEmail = () => `birder-${++counter}@example.org`;

interface Person {
  readonly email: string;
  readonly localId: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

async function signUp(at = server): Promise<Person> {
  const email = freshEmail();
  const { body } = await at.post('/v1/accounts:signUp', { email, password, returnSecureToken: true });
  return { ...body, email };
}
const lookup = (idToken: string, at = server) => at.post('/v1/accounts:lookup', { idToken });
const refresh = (refreshToken: string, at = server) =>
  at.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken });

describe('An ID token', () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claimsOf = (idToken: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
  const headerNow = () => ({ alg: 'RS256', kid: server.identity.methods.keys.current().kid, typ: 'JWT' });
  const signed = (claims: Record<string, unknown>, header = headerNow()) =>
    new SignJWT(claims).setProtectedHeader(header).sign(server.identity.methods.keys.current().privateKey);

  it('is accepted if it is unchanged and signed with the server’s key', async () => {
    const { idToken, localId } = await signUp();
    expect((await lookup(await signed(claimsOf(idToken)))).body.users[0].localId).toBe(localId);
  });

  it('is refused with alg none', async () => {
    const claims = claimsOf((await signUp()).idToken);
    expect((await lookup(`${base64({ alg: 'none', typ: 'JWT' })}.${base64(claims)}.`)).message).toBe('INVALID_ID_TOKEN');
    expect((await lookup(`${base64({ ...headerNow(), alg: 'none' })}.${base64(claims)}.`)).message).toBe('INVALID_ID_TOKEN');
  });

  it('is refused with HS256 and the public key as the secret', async () => {
    const claims = claimsOf((await signUp()).idToken);
    const { publicKey, certificate } = server.identity.methods.keys.current();
    for (const secret of [publicKey.export({ type: 'spki', format: 'pem' }).toString(), certificate]) {
      const forged = await new SignJWT(claims).setProtectedHeader({ ...headerNow(), alg: 'HS256' }).sign(Buffer.from(secret));
      expect((await lookup(forged)).message).toBe('INVALID_ID_TOKEN');
    }
  });

  it('is refused with an unknown key id, another audience or another issuer', async () => {
    const claims = claimsOf((await signUp()).idToken);
    expect((await lookup(await signed(claims, { ...headerNow(), kid: 'unknown' }))).message).toBe('INVALID_ID_TOKEN');
    expect((await lookup(await signed({ ...claims, aud: 'other-project' }))).message).toBe('INVALID_ID_TOKEN');
    expect((await lookup(await signed({ ...claims, iss: 'https://securetoken.google.com/other-project' }))).message).toBe(
      'INVALID_ID_TOKEN',
    );
  });

  it('is refused when it names no session, or a session of another account', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const { sid, ...claims } = claimsOf(one.idToken);
    expect((await lookup(await signed(claims))).message).toBe('INVALID_ID_TOKEN');
    expect((await lookup(await signed({ ...claims, sid: claimsOf(other.idToken).sid }))).message).toBe('TOKEN_EXPIRED');
    expect((await lookup(await signed({ ...claims, sid }))).status).toBe(200);
  });

  it('is refused once expired', async () => {
    const claims = claimsOf((await signUp()).idToken);
    expect((await lookup(await signed({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 }))).message).toBe('TOKEN_EXPIRED');
  });

  it('is refused at once when its account is deleted, as is its refresh token', async () => {
    const person = await signUp();
    await server.post('/v1/accounts:delete', { idToken: person.idToken });
    expect((await lookup(person.idToken)).message).toBe('USER_NOT_FOUND');
    expect((await refresh(person.refreshToken)).message).toBe('USER_NOT_FOUND');
  });

  it('is refused at once while its account is disabled, as is its refresh token', async () => {
    const person = await signUp();
    await server.database.change({}, (query) => changeAccount(query, person.localId, { disabled: true }));
    expect((await lookup(person.idToken)).message).toBe('USER_DISABLED');
    expect((await refresh(person.refreshToken)).message).toBe('USER_DISABLED');
    expect((await server.post('/v1/accounts:signInWithPassword', { email: person.email, password })).message).toBe(
      'USER_DISABLED',
    );
    const wrong = await server.post('/v1/accounts:signInWithPassword', { email: person.email, password: 'wrong horse' });
    expect(wrong.message).toBe('INVALID_LOGIN_CREDENTIALS');
  });

  it('is refused at once when the password was changed, even in the same second, as is its refresh token', async () => {
    const person = await signUp();
    const changed = await server.post('/v1/accounts:update', {
      idToken: person.idToken,
      password: 'another horse',
      returnSecureToken: true,
    });
    expect((await lookup(person.idToken)).message).toBe('TOKEN_EXPIRED');
    expect((await refresh(person.refreshToken)).message).toBe('TOKEN_EXPIRED');
    expect((await lookup(changed.body.idToken)).status).toBe(200);
    const claims = claimsOf(changed.body.idToken);
    const { users } = (await lookup(changed.body.idToken)).body;
    expect(claims.auth_time).toBeGreaterThanOrEqual(Number(users[0].validSince));
  });

  it('is refused if issued before validSince, the time up to which sessions were ended', async () => {
    const person = await signUp();
    await server.database.change({}, (query) =>
      changeAccount(query, person.localId, { validSinceSeconds: Math.floor(Date.now() / 1000) + 1 }),
    );
    expect((await lookup(person.idToken)).message).toBe('TOKEN_EXPIRED');
    expect((await refresh(person.refreshToken)).message).toBe('TOKEN_EXPIRED');
  });
});

describe('A refresh token', () => {
  it('stays the same and can be used by two tabs at once', async () => {
    const { refreshToken } = await signUp();
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    expect(answers.map(({ body }) => body.refresh_token)).toEqual([refreshToken, refreshToken]);
  });

  it('is read from a form-encoded request body, as the SDK sends it', async () => {
    const { refreshToken, localId } = await signUp();
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }).toString();
    const { body } = await server.post('/securetoken.googleapis.com/v1/token', form, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(body).toEqual({
      access_token: body.id_token,
      id_token: expect.any(String),
      expires_in: '3600',
      refresh_token: refreshToken,
      token_type: 'Bearer',
      user_id: localId,
      project_id: expect.stringMatching(/^\d{12}$/),
    });
  });

  it('of another project is refused', async () => {
    const other = await startIdentityServer({ options: { projectId: 'other-project' } });
    const { refreshToken, idToken } = await signUp(other);
    expect((await refresh(refreshToken)).message).toBe('PROJECT_NUMBER_MISMATCH');
    expect((await lookup(idToken)).message).toBe('INVALID_ID_TOKEN');
    await other.close();
  });

  it('is refused when it is unknown, malformed or missing, or with another grant type', async () => {
    const { refreshToken } = await signUp();
    const unknown = refreshToken.slice(0, -4) + (refreshToken.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    expect((await refresh(unknown)).message).toBe('INVALID_REFRESH_TOKEN');
    expect((await refresh('nonsense')).message).toBe('INVALID_REFRESH_TOKEN');
    expect((await refresh('')).message).toBe('MISSING_REFRESH_TOKEN');
    expect((await server.post('/v1/token', { refresh_token: refreshToken })).message).toBe('MISSING_GRANT_TYPE');
    expect((await server.post('/v1/token', { grant_type: 'password' })).message).toBe('INVALID_GRANT_TYPE');
  });

  it('expires after half a year without use', async () => {
    const at = await startIdentityServer();
    const { refreshToken } = await signUp(at);
    at.advance(179 * 86_400);
    expect((await refresh(refreshToken, at)).status).toBe(200);
    at.advance(181 * 86_400);
    expect((await refresh(refreshToken, at)).message).toBe('TOKEN_EXPIRED');
    await at.close();
  });

  it('is stored only as a hash, as are emailed codes', async () => {
    const { refreshToken, email } = await signUp();
    await server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email });
    await answerOf(await fetch(`${server.origin}/dev/oob-codes`));
    const code = server.mailbox.mails.at(-1)?.oobCode ?? '';
    expect(code).toMatch(/^[\w-]{43}$/);
    const { query } = server.database;
    const stored = JSON.stringify([
      await query.selectFrom('sessions').selectAll().execute(),
      await query.selectFrom('oneTimeCodes').selectAll().execute(),
    ]);
    expect(stored).not.toContain(refreshToken.split('.')[1]);
    expect(stored).not.toContain(code);
  });
});

describe('A code sent by email', () => {
  const reset = (body: Record<string, unknown>, at = server) => at.post('/v1/accounts:resetPassword', body);
  async function mailedCode(request: Record<string, unknown>, at = server): Promise<string> {
    await at.post('/v1/accounts:sendOobCode', request);
    await at.identity.methods.mailQueue?.settled();
    return at.mailbox.mails.at(-1)?.oobCode ?? '';
  }

  it('can be used only once, even by two simultaneous requests', async () => {
    const { email } = await signUp();
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    const answers = await Promise.all(['first horse', 'second horse'].map((newPassword) => reset({ oobCode, newPassword })));
    expect(answers.map(({ status, message }) => message ?? status).sort()).toEqual([200, 'INVALID_OOB_CODE']);
  });

  it('expires after an hour', async () => {
    const at = await startIdentityServer();
    const { email } = await signUp(at);
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email }, at);
    at.advance(3601);
    expect((await reset({ oobCode, newPassword: 'another horse' }, at)).message).toBe('EXPIRED_OOB_CODE');
    await at.close();
  });

  it('is void once the password was changed without the code', async () => {
    const { email, idToken } = await signUp();
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    await server.post('/v1/accounts:update', { idToken, password: 'another horse' });
    expect((await reset({ oobCode, newPassword: 'third horse' })).message).toBe('INVALID_OOB_CODE');
  });

  it('is refused for another purpose than the one for which it was sent', async () => {
    const { email, idToken } = await signUp();
    const verification = await mailedCode({ requestType: 'VERIFY_EMAIL', idToken });
    expect((await reset({ oobCode: verification, newPassword: 'another horse' })).message).toBe('INVALID_OOB_CODE');
    const forReset = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    expect((await server.post('/v1/accounts:update', { oobCode: forReset })).message).toBe('INVALID_OOB_CODE');
    expect((await reset({ oobCode: verification })).body.requestType).toBe('VERIFY_EMAIL');
    expect((await reset({ oobCode: forReset })).body.requestType).toBe('PASSWORD_RESET');
  });

  it('is deleted with its account', async () => {
    const { email, idToken } = await signUp();
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    await server.post('/v1/accounts:delete', { idToken });
    expect((await reset({ oobCode })).message).toBe('INVALID_OOB_CODE');
  });

  it('does not reset the password of a disabled account', async () => {
    const { email, localId } = await signUp();
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email });
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
    expect((await reset({ oobCode, newPassword: 'another horse' })).message).toBe('USER_DISABLED');
  });

  it('is not created for a disabled account', async () => {
    const { email, localId } = await signUp();
    await server.database.change({}, (query) => changeAccount(query, localId, { disabled: true }));
    expect((await server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email })).status).toBe(200);
    await server.identity.methods.mailQueue?.settled();
    expect(server.mailbox.mails.filter((mail) => mail.email === email)).toEqual([]);
  });

  it('that restores a former address invalidates a code sent to a later address', async () => {
    const at = await startIdentityServer({ options: { enumerationProtection: false } });
    const { email, idToken } = await signUp(at);
    const [between, last] = [freshEmail(), freshEmail()];
    const { body } = await at.post('/v1/accounts:update', { idToken, email: between });
    await at.post('/v1/accounts:update', { idToken: body.idToken, email: last });
    await at.identity.methods.mailQueue?.settled();
    const codeTo = (address: string) => at.mailbox.mails.find((mail) => mail.email === address)?.oobCode ?? '';
    expect((await at.post('/v1/accounts:update', { oobCode: codeTo(email) })).body).toMatchObject({ email, emailVerified: true });
    expect((await at.post('/v1/accounts:update', { oobCode: codeTo(between) })).message).toBe('INVALID_OOB_CODE');
    await at.close();
  });

  it('cannot restore a former address once the password was reset by a code sent to the present address', async () => {
    const at = await startIdentityServer({ options: { enumerationProtection: false } });
    const { email: former, idToken } = await signUp(at);
    const present = freshEmail();
    await at.post('/v1/accounts:update', { idToken, email: present });
    await at.identity.methods.mailQueue?.settled();
    const recovery = at.mailbox.mails.find((mail) => mail.email === former)?.oobCode ?? '';
    expect((await reset({ oobCode: recovery }, at)).body.requestType).toBe('RECOVER_EMAIL');
    const oobCode = await mailedCode({ requestType: 'PASSWORD_RESET', email: present }, at);
    expect((await reset({ oobCode, newPassword: 'another horse' }, at)).status).toBe(200);
    expect((await at.post('/v1/accounts:update', { oobCode: recovery })).message).toBe('INVALID_OOB_CODE');
    const signedIn = await at.post('/v1/accounts:signInWithPassword', { email: present, password: 'another horse' });
    expect(signedIn.status).toBe(200);
    await at.close();
  });

  it('restores a former address if the password was changed without an email', async () => {
    const at = await startIdentityServer({ options: { enumerationProtection: false } });
    const { email: former, idToken } = await signUp(at);
    const { body } = await at.post('/v1/accounts:update', { idToken, email: freshEmail() });
    await at.post('/v1/accounts:update', { idToken: body.idToken, password: 'another horse' });
    await at.identity.methods.mailQueue?.settled();
    const recovery = at.mailbox.mails.find((mail) => mail.email === former)?.oobCode ?? '';
    expect((await at.post('/v1/accounts:update', { oobCode: recovery })).body).toMatchObject({ email: former });
    await at.close();
  });

  it('cannot restore a former address if it was sent only after the password was reset by a code sent to the present address', async () => {
    let letGo = (): void => {};
    const taken = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const mails: CodeMail[] = [];
    const mailer: Mailer = {
      maxPauseMs: 0,
      send: async (mail) => {
        await taken;
        if ('oobCode' in mail) mails.push(mail);
      },
      close: () => {},
    };
    const at = await startIdentityServer({ options: { enumerationProtection: false, mailer } });
    // As many mails as are sent concurrently, so that those posted later wait.
    for (const { idToken } of await Promise.all(Array.from({ length: 4 }, () => signUp(at)))) {
      await at.post('/v1/accounts:sendOobCode', { requestType: 'VERIFY_EMAIL', idToken });
    }
    const { email: former, idToken } = await signUp(at);
    const present = freshEmail();
    expect((await at.post('/v1/accounts:update', { idToken, email: present })).status).toBe(200);
    const request = { requestType: 'PASSWORD_RESET', email: present } as const;
    const link = await makeLink(at.identity.methods, request, { ip: '127.0.0.1', headers: {} });
    expect((await reset({ oobCode: link.oobCode, newPassword: 'another horse' }, at)).status).toBe(200);
    letGo();
    await at.identity.methods.mailQueue?.settled();
    const recovery = mails.find((mail) => mail.email === former && mail.requestType === 'RECOVER_EMAIL')?.oobCode ?? '';
    expect((await at.post('/v1/accounts:update', { oobCode: recovery })).message).toBe('INVALID_OOB_CODE');
    await at.close();
  });

  it('cannot change to an address that another account has taken meanwhile, and stays valid', async () => {
    const { idToken } = await signUp();
    const newEmail = freshEmail();
    const oobCode = await mailedCode({ requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail });
    await server.post('/v1/accounts:signUp', { email: newEmail, password });
    expect((await server.post('/v1/accounts:update', { oobCode })).message).toBe('EMAIL_EXISTS');
    expect((await reset({ oobCode })).status).toBe(200);
  });

  it('is part of a link to the configured address, whatever host the request names', async () => {
    const at = await startIdentityServer({ options: { publicUrl: () => 'https://birds.example.org' } });
    const { email } = await signUp(at);
    await at.app.inject({
      method: 'POST',
      url: '/v1/accounts:sendOobCode?key=k',
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        origin: 'https://evil.example',
        referer: 'https://evil.example/',
        forwarded: 'host=evil.example',
      },
      payload: { requestType: 'PASSWORD_RESET', email },
    });
    await at.identity.methods.mailQueue?.settled();
    const [mail] = at.mailbox.mails;
    expect(mail?.email).toBe(email);
    expect(mail?.link).toMatch(
      /^https:\/\/birds\.example\.org\/account\/action\?mode=resetPassword&oobCode=[\w-]{43}&apiKey=chiffchaff&lang=en$/,
    );
    await at.close();
  });

  it('is part of a link that leads on to allowed pages only', async () => {
    const at = await startIdentityServer({
      options: { publicUrl: () => 'https://birds.example.org', continueOrigins: ['https://www.example.org'] },
    });
    const { email } = await signUp(at);
    const ask = (continueUrl: string) =>
      at.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email, continueUrl });
    for (const good of ['https://birds.example.org/process', 'https://www.example.org/?a=b&c=d#e']) {
      expect((await ask(good)).status).toBe(200);
      await at.identity.methods.mailQueue?.settled();
      expect(new URL(at.mailbox.mails.at(-1)?.link ?? '').searchParams.get('continueUrl')).toBe(good);
    }
    const sent = at.mailbox.mails.length;
    for (const bad of ['https://evil.example/', 'https://birds.example.org.evil.example/', 'https:\\\\evil.example']) {
      expect((await ask(bad)).message, bad).toMatch(/^UNAUTHORIZED_DOMAIN/);
    }
    for (const bad of [
      '//evil.example',
      '/process',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://birds.example.org@evil.example',
    ]) {
      expect((await ask(bad)).message, bad).toMatch(/^INVALID_CONTINUE_URI/);
    }
    await at.identity.methods.mailQueue?.settled();
    expect(at.mailbox.mails).toHaveLength(sent);
    await at.close();
  });

  it('is sent in an email in the requested language', async () => {
    const { email } = await signUp();
    await server.post('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email }, { 'x-firebase-locale': 'de-AT' });
    await server.identity.methods.mailQueue?.settled();
    expect(server.mailbox.mails.at(-1)).toMatchObject({
      subject: 'Neues Passwort für Chiffchaff',
      link: expect.stringContaining('lang=de'),
    });
  });
});
