import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdentityFailure } from '../../apps/web/src/platform/identity/identity-failure.ts';
import { identityServices, type RunningIdentityService } from './identity-services.ts';

/**
 * The page's identity client with the Firebase Auth emulator and with our own server: the same tests for both. `ServiceTraits` lists the
 * differences.
 */

describe.each(identityServices)('The page’s identity client with $name', (service) => {
  let running: RunningIdentityService;

  beforeAll(async () => {
    running = await service.start();
  });
  afterAll(() => running?.stop());

  const password = 'correct horse';
  const somebody = () => ({ email: `ada-${randomUUID()}@example.org`, password });
  const signUp = async () => {
    const credentials = somebody();
    return { ...credentials, ...(await running.identity.signUp(credentials)) };
  };
  /** The error code of a refused call, or null. */
  const refusalOf = async (call: Promise<unknown>): Promise<string | null> => {
    try {
      await call;
      return null;
    } catch (failure) {
      if (failure instanceof IdentityFailure && failure.code !== null) return failure.code;
      throw failure;
    }
  };
  const partOf = (token: string, index: number): unknown =>
    JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());

  it('creates an account with a session of an hour', async () => {
    const { email, token, refreshToken, expiresInSeconds, localId } = await signUp();
    expect(expiresInSeconds).toBe(3600);
    expect(refreshToken).not.toBe('');
    expect(partOf(token, 0)).toMatchObject({ alg: service.algorithm });
    expect(partOf(token, 1)).toMatchObject({ sub: localId, email, email_verified: false });
  });

  it('finds one account for an email address, whatever its letter case', async () => {
    const { email } = await signUp();
    expect(await refusalOf(running.identity.signUp({ email: email.toUpperCase(), password }))).toBe('EMAIL_EXISTS');
  });

  it('cannot sign up with an address without @, nor with a password of five characters', async () => {
    const { signUp: create } = running.identity;
    expect(await refusalOf(create({ email: 'nobody', password }))).toBe('INVALID_EMAIL');
    expect(await refusalOf(create({ ...somebody(), password: 'short' }))).toBe('WEAK_PASSWORD');
  });

  it('signs up with any version of the accepted terms', async () => {
    expect(await refusalOf(running.identity.signUp({ ...somebody(), termsVersion: '1' }))).toBeNull();
  });

  const which = service.countsSessions ? 'a new session' : 'the session that the account already has';
  it(`signs in to ${which}`, async () => {
    const account = await signUp();
    const session = await running.identity.signIn(account);
    expect(session.localId).toBe(account.localId);
    expect(session.refreshToken !== account.refreshToken).toBe(service.countsSessions);
  });

  it(`gets ${service.wrongPassword} for a wrong password, and ${service.unknownAddress} for an unknown address`, async () => {
    const { email } = await signUp();
    expect(await refusalOf(running.identity.signIn({ email, password: 'wrong horse' }))).toBe(service.wrongPassword);
    expect(await refusalOf(running.identity.signIn(somebody()))).toBe(service.unknownAddress);
  });

  it(`gets USER_DISABLED for a disabled account and its password, and ${service.wrongPasswordOfDisabled} for a wrong password`, async () => {
    const account = await signUp();
    await running.disable(account.localId);
    expect(await refusalOf(running.identity.signIn(account))).toBe('USER_DISABLED');
    expect(await refusalOf(running.identity.signIn({ ...account, password: 'wrong horse' }))).toBe(
      service.wrongPasswordOfDisabled,
    );
    expect(await refusalOf(running.identity.lookup(account.token))).toBe('USER_DISABLED');
    expect(await refusalOf(running.identity.renew(account.refreshToken))).toBe('USER_DISABLED');
  });

  it('looks up an account by its ID token', async () => {
    const { token, localId, email } = await signUp();
    expect(await running.identity.lookup(token)).toEqual({ localId, email, emailVerified: false, displayName: '' });
    expect(await refusalOf(running.identity.lookup('no token'))).toBe('INVALID_ID_TOKEN');
  });

  it('renews a session by its refresh token', async () => {
    const { refreshToken, localId } = await signUp();
    const renewed = await running.identity.renew(refreshToken);
    expect(renewed.expiresInSeconds).toBe(3600);
    expect((await running.identity.lookup(renewed.token)).localId).toBe(localId);
    expect((await running.identity.renew(renewed.refreshToken)).token).not.toBe('');
    expect(await refusalOf(running.identity.renew('no token'))).toBe('INVALID_REFRESH_TOKEN');
  });

  it('sets and removes a display name', async () => {
    const { token } = await signUp();
    await running.identity.setDisplayName(token, 'Ada Lovelace');
    expect((await running.identity.lookup(token)).displayName).toBe('Ada Lovelace');
    await running.identity.setDisplayName(token, '');
    expect((await running.identity.lookup(token)).displayName).toBe('');
  });

  it('gets working tokens when it changes the password, and the old password no longer works', async () => {
    const account = await signUp();
    expect(await refusalOf(running.identity.setPassword(account.token, 'short'))).toBe('WEAK_PASSWORD');
    const session = await running.identity.setPassword(account.token, 'new horse');
    expect((await running.identity.lookup(session.token)).localId).toBe(account.localId);
    expect((await running.identity.renew(session.refreshToken)).token).not.toBe('');
    expect(await refusalOf(running.identity.signIn(account))).toBe(service.wrongPassword);
    expect(await refusalOf(running.identity.signIn({ ...account, password: 'new horse' }))).toBeNull();
  });

  const oldSession = service.refreshTokenBeforePasswordChange;
  it(`finds that a session from before a password change ${oldSession === null ? 'continues' : `is over: ${oldSession}`}`, async () => {
    const account = await signUp();
    const elsewhere = await running.identity.signIn(account);
    await running.identity.setPassword(account.token, 'new horse');
    expect(await refusalOf(running.identity.renew(elsewhere.refreshToken))).toBe(oldSession);
  });

  it('resets the password once with a mailed code', async () => {
    const account = await signUp();
    const { email } = account;
    await running.identity.sendCodeMail({ requestType: 'PASSWORD_RESET', email });
    const code = await running.newestCode(email, 'PASSWORD_RESET');
    expect(await running.identity.checkCode(code)).toEqual({ email, requestType: 'PASSWORD_RESET', newEmail: null });
    expect(await refusalOf(running.identity.resetPassword(code, 'short'))).toBe('WEAK_PASSWORD');
    await running.identity.resetPassword(code, 'new horse');
    expect(await refusalOf(running.identity.resetPassword(code, 'other horse'))).toBe('INVALID_OOB_CODE');
    expect(await refusalOf(running.identity.signIn(account))).toBe(service.wrongPassword);
    const { token } = await running.identity.signIn({ email, password: 'new horse' });
    // Resetting the password through the email proves who owns the address.
    expect((await running.identity.lookup(token)).emailVerified).toBe(true);
  });

  const unknown = service.resetForUnknownAddress;
  it(`gets ${unknown === null ? 'no error' : unknown} when it requests a reset email to an unknown address`, async () => {
    const { email } = somebody();
    expect(await refusalOf(running.identity.sendCodeMail({ requestType: 'PASSWORD_RESET', email }))).toBe(unknown);
    await expect(running.newestCode(email, 'PASSWORD_RESET')).rejects.toThrow('No mail');
  });

  it('verifies the email address with a mailed code', async () => {
    const { email, token, refreshToken, localId } = await signUp();
    await running.identity.sendCodeMail({ requestType: 'VERIFY_EMAIL', idToken: token });
    const code = await running.newestCode(email, 'VERIFY_EMAIL');
    expect(await running.identity.checkCode(code)).toEqual({ email, requestType: 'VERIFY_EMAIL', newEmail: null });
    expect(await running.identity.applyCode(code)).toEqual({ localId, email });
    expect((await running.identity.lookup(token)).emailVerified).toBe(true);
    expect(partOf((await running.identity.renew(refreshToken)).token, 1)).toMatchObject({ email_verified: true });
    expect(await refusalOf(running.identity.applyCode(code))).toBe('INVALID_OOB_CODE');
  });

  it(`changes the email address with a code mailed to ${service.changeCodeGoesTo}`, async () => {
    const { email, token, localId } = await signUp();
    const newEmail = somebody().email;
    await running.identity.sendCodeMail({ requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken: token, newEmail });
    const mailed = service.changeCodeGoesTo === 'the new address' ? newEmail : email;
    const code = await running.newestCode(mailed, 'VERIFY_AND_CHANGE_EMAIL');
    expect(await running.identity.checkCode(code)).toEqual({ email, requestType: 'VERIFY_AND_CHANGE_EMAIL', newEmail });
    expect(await running.identity.applyCode(code)).toEqual({ localId, email: newEmail });
    expect(await refusalOf(running.identity.signIn({ email, password }))).toBe(service.unknownAddress);
    expect((await running.identity.signIn({ email: newEmail, password })).localId).toBe(localId);
  });

  it('deletes an account, whose email address can be used again', async () => {
    const { email, token, refreshToken, localId } = await signUp();
    await running.identity.deleteAccount(token);
    expect(await refusalOf(running.identity.lookup(token))).toBe('USER_NOT_FOUND');
    expect(await refusalOf(running.identity.renew(refreshToken))).toBe(service.refreshTokenOfDeleted);
    expect(await refusalOf(running.identity.signIn({ email, password }))).toBe(service.unknownAddress);
    expect((await running.identity.signUp({ email, password })).localId).not.toBe(localId);
  });
});
