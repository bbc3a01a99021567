import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdentityFailure } from '../../apps/web/src/platform/identity/identity-failure.ts';
import { identityServices, type RunningIdentityService } from './identity-services.ts';

/**
 * The page's identity client with the Firebase Auth emulator and with our own server: the same tests for both. `ServiceTraits` lists the
 * differences.
 */

describe.each(identityServices)('the page’s client at $name', (service) => {
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

  it('an account is created and its session holds an hour', async () => {
    const { email, token, refreshToken, expiresInSeconds, localId } = await signUp();
    expect(expiresInSeconds).toBe(3600);
    expect(refreshToken).not.toBe('');
    expect(partOf(token, 0)).toMatchObject({ alg: service.algorithm });
    expect(partOf(token, 1)).toMatchObject({ sub: localId, email, email_verified: false });
  });

  it('an address has one account, whatever its letter case', async () => {
    const { email } = await signUp();
    expect(await refusalOf(running.identity.signUp({ email: email.toUpperCase(), password }))).toBe('EMAIL_EXISTS');
  });

  it('an address without an @ and a password of five characters are refused', async () => {
    const { signUp: create } = running.identity;
    expect(await refusalOf(create({ email: 'nobody', password }))).toBe('INVALID_EMAIL');
    expect(await refusalOf(create({ ...somebody(), password: 'short' }))).toBe('WEAK_PASSWORD');
  });

  it('the version of the accepted terms keeps nobody from signing up', async () => {
    expect(await refusalOf(running.identity.signUp({ ...somebody(), termsVersion: '1' }))).toBeNull();
  });

  const which = service.countsSessions ? 'a session of its own' : 'the session that there is';
  it(`whoever has an account signs in, into ${which}`, async () => {
    const account = await signUp();
    const session = await running.identity.signIn(account);
    expect(session.localId).toBe(account.localId);
    expect(session.refreshToken !== account.refreshToken).toBe(service.countsSessions);
  });

  it(`a wrong password is ${service.wrongPassword}, an address without an account ${service.unknownAddress}`, async () => {
    const { email } = await signUp();
    expect(await refusalOf(running.identity.signIn({ email, password: 'wrong horse' }))).toBe(service.wrongPassword);
    expect(await refusalOf(running.identity.signIn(somebody()))).toBe(service.unknownAddress);
  });

  it(`a disabled account is told by its password, and ${service.wrongPasswordOfDisabled} without it`, async () => {
    const account = await signUp();
    await running.disable(account.localId);
    expect(await refusalOf(running.identity.signIn(account))).toBe('USER_DISABLED');
    expect(await refusalOf(running.identity.signIn({ ...account, password: 'wrong horse' }))).toBe(
      service.wrongPasswordOfDisabled,
    );
    expect(await refusalOf(running.identity.lookup(account.token))).toBe('USER_DISABLED');
    expect(await refusalOf(running.identity.renew(account.refreshToken))).toBe('USER_DISABLED');
  });

  it('an account is looked up by its token', async () => {
    const { token, localId, email } = await signUp();
    expect(await running.identity.lookup(token)).toEqual({ localId, email, emailVerified: false, displayName: '' });
    expect(await refusalOf(running.identity.lookup('no token'))).toBe('INVALID_ID_TOKEN');
  });

  it('a session is renewed by its refresh token', async () => {
    const { refreshToken, localId } = await signUp();
    const renewed = await running.identity.renew(refreshToken);
    expect(renewed.expiresInSeconds).toBe(3600);
    expect((await running.identity.lookup(renewed.token)).localId).toBe(localId);
    expect((await running.identity.renew(renewed.refreshToken)).token).not.toBe('');
    expect(await refusalOf(running.identity.renew('no token'))).toBe('INVALID_REFRESH_TOKEN');
  });

  it('a display name is set and removed', async () => {
    const { token } = await signUp();
    await running.identity.setDisplayName(token, 'Ada Lovelace');
    expect((await running.identity.lookup(token)).displayName).toBe('Ada Lovelace');
    await running.identity.setDisplayName(token, '');
    expect((await running.identity.lookup(token)).displayName).toBe('');
  });

  it('a changed password replaces the old one and brings tokens that work', async () => {
    const account = await signUp();
    expect(await refusalOf(running.identity.setPassword(account.token, 'short'))).toBe('WEAK_PASSWORD');
    const session = await running.identity.setPassword(account.token, 'new horse');
    expect((await running.identity.lookup(session.token)).localId).toBe(account.localId);
    expect((await running.identity.renew(session.refreshToken)).token).not.toBe('');
    expect(await refusalOf(running.identity.signIn(account))).toBe(service.wrongPassword);
    expect(await refusalOf(running.identity.signIn({ ...account, password: 'new horse' }))).toBeNull();
  });

  const oldSession = service.refreshTokenBeforePasswordChange;
  it(`a session from before the password changed ${oldSession === null ? 'goes on' : `is over: ${oldSession}`}`, async () => {
    const account = await signUp();
    const elsewhere = await running.identity.signIn(account);
    await running.identity.setPassword(account.token, 'new horse');
    expect(await refusalOf(running.identity.renew(elsewhere.refreshToken))).toBe(oldSession);
  });

  it('a mailed code resets the password once', async () => {
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
  it(`a reset mail to an address without an account ${unknown === null ? 'seems to be sent' : `is ${unknown}`}`, async () => {
    const { email } = somebody();
    expect(await refusalOf(running.identity.sendCodeMail({ requestType: 'PASSWORD_RESET', email }))).toBe(unknown);
    await expect(running.newestCode(email, 'PASSWORD_RESET')).rejects.toThrow('No mail');
  });

  it('a mailed code verifies the address', async () => {
    const { email, token, refreshToken, localId } = await signUp();
    await running.identity.sendCodeMail({ requestType: 'VERIFY_EMAIL', idToken: token });
    const code = await running.newestCode(email, 'VERIFY_EMAIL');
    expect(await running.identity.checkCode(code)).toEqual({ email, requestType: 'VERIFY_EMAIL', newEmail: null });
    expect(await running.identity.applyCode(code)).toEqual({ localId, email });
    expect((await running.identity.lookup(token)).emailVerified).toBe(true);
    expect(partOf((await running.identity.renew(refreshToken)).token, 1)).toMatchObject({ email_verified: true });
    expect(await refusalOf(running.identity.applyCode(code))).toBe('INVALID_OOB_CODE');
  });

  it(`a code mailed to ${service.changeCodeGoesTo} changes the address`, async () => {
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

  it('a deleted account is gone, and its address is free', async () => {
    const { email, token, refreshToken, localId } = await signUp();
    await running.identity.deleteAccount(token);
    expect(await refusalOf(running.identity.lookup(token))).toBe('USER_NOT_FOUND');
    expect(await refusalOf(running.identity.renew(refreshToken))).toBe(service.refreshTokenOfDeleted);
    expect(await refusalOf(running.identity.signIn({ email, password }))).toBe(service.unknownAddress);
    expect((await running.identity.signUp({ email, password })).localId).not.toBe(localId);
  });
});
