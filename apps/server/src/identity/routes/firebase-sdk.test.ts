import { deleteApp, type FirebaseApp, initializeApp } from 'firebase/app';
import {
  type Auth,
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  deleteUser,
  EmailAuthProvider,
  fetchSignInMethodsForEmail,
  initializeAuth,
  type Persistence,
  reauthenticateWithCredential,
  reload,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInAnonymously,
  signInWithEmailAndPassword,
  signOut,
  type User,
  updateEmail,
  updatePassword,
  updateProfile,
  validatePassword,
  verifyBeforeUpdateEmail,
  verifyPasswordResetCode,
} from 'firebase/auth';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';

/** Runs the unmodified Firebase SDK against the service, and so tests whatever the SDK relies on. */

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.close());

const apps: FirebaseApp[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map(deleteApp));
});

/** Browser storage for the SDK, in a map that outlives a page. */
function createPersistence(storage: Map<string, unknown>): Persistence {
  class MapPersistence {
    static readonly type = 'LOCAL';
    readonly type = 'LOCAL';
    async _isAvailable() {
      return true;
    }
    async _set(key: string, value: unknown) {
      storage.set(key, JSON.parse(JSON.stringify(value)));
    }
    async _get(key: string) {
      return storage.get(key) ?? null;
    }
    async _remove(key: string) {
      storage.delete(key);
    }
    _addListener() {}
    _removeListener() {}
  }
  // The SDK takes the class itself, but its types hide the required members.
  return MapPersistence as unknown as Persistence;
}

/** Opens a page. */
function openPage(storage = new Map<string, unknown>(), origin = server.origin): Auth {
  const app = initializeApp({ apiKey: 'any-key', projectId: 'chiffchaff' }, `page-${apps.length}-${storage.size}`);
  apps.push(app);
  const auth = initializeAuth(app, { persistence: createPersistence(storage) });
  connectAuthEmulator(auth, origin, { disableWarnings: true });
  return auth;
}

/** Opens a page again: the SDK finds its saved user by the app's name. */
async function reopenPage(auth: Auth, storage: Map<string, unknown>, origin = server.origin): Promise<Auth> {
  const { name, options } = auth.app;
  await deleteApp(auth.app);
  apps.splice(apps.indexOf(auth.app), 1);
  const app = initializeApp(options, name);
  apps.push(app);
  const reopened = initializeAuth(app, { persistence: createPersistence(storage) });
  connectAuthEmulator(reopened, origin, { disableWarnings: true });
  await reopened.authStateReady();
  return reopened;
}

let counter = 0;
const freshEmail = () => `birder-${++counter}@example.org`;
const password = 'correct horse';

async function createUser(auth: Auth): Promise<{ user: User; email: string }> {
  const email = freshEmail();
  const { user } = await createUserWithEmailAndPassword(auth, email, password);
  return { user, email };
}

async function lastCode(email: string): Promise<{ requestType: string; oobCode: string }> {
  const { body } = await answerOf(await fetch(`${server.origin}/dev/oob-codes`));
  const oobCodes: readonly { email: string; requestType: string; oobCode: string }[] = body.oobCodes;
  const code = oobCodes.findLast((one) => one.email === email);
  if (code === undefined) throw new Error('No mail came');
  return code;
}

const refusedWith = (code: string) => expect.objectContaining({ code: `auth/${code}` });

describe('The Firebase SDK', () => {
  it('creates an account and signs in with it', async () => {
    const auth = openPage();
    const { user, email } = await createUser(auth);
    expect(user).toMatchObject({ email, emailVerified: false, isAnonymous: false, displayName: null });
    expect(user.providerData).toMatchObject([{ providerId: 'password', email, uid: email }]);
    expect(Date.parse(user.metadata.creationTime ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await signOut(auth);
    expect(auth.currentUser).toBeNull();
    const again = await signInWithEmailAndPassword(auth, email.toUpperCase(), password);
    expect(again.user.uid).toBe(user.uid);
    const { claims, signInProvider, authTime } = await again.user.getIdTokenResult();
    expect(claims).toMatchObject({ sub: user.uid, user_id: user.uid, aud: 'chiffchaff', email });
    expect(signInProvider).toBe('password');
    expect(Date.parse(authTime)).toBeGreaterThan(0);
  });

  it('gets the same refusal for a wrong password and an unknown address', async () => {
    const auth = openPage();
    const { email } = await createUser(auth);
    await expect(signInWithEmailAndPassword(auth, email, 'wrong horse')).rejects.toEqual(refusedWith('invalid-credential'));
    await expect(signInWithEmailAndPassword(auth, freshEmail(), password)).rejects.toEqual(refusedWith('invalid-credential'));
  });

  it('is told why an account cannot be created', async () => {
    const auth = openPage();
    const { email } = await createUser(auth);
    await expect(createUserWithEmailAndPassword(auth, email, password)).rejects.toEqual(refusedWith('email-already-in-use'));
    await expect(createUserWithEmailAndPassword(auth, 'nobody', password)).rejects.toEqual(refusedWith('invalid-email'));
    await expect(createUserWithEmailAndPassword(auth, freshEmail(), '12345')).rejects.toMatchObject({
      code: 'auth/weak-password',
      message: expect.stringContaining('Password should be at least 6 characters'),
    });
    await expect(createUserWithEmailAndPassword(auth, freshEmail(), '')).rejects.toEqual(refusedWith('missing-password'));
    await expect(signInAnonymously(auth)).rejects.toEqual(refusedWith('admin-restricted-operation'));
  });

  it('refreshes its token and keeps the time of the sign-in', async () => {
    const { user } = await createUser(openPage());
    const before = await user.getIdTokenResult();
    server.advance(10);
    const after = await user.getIdTokenResult(true);
    expect(after.token).not.toBe(before.token);
    expect(after.authTime).toBe(before.authTime);
    expect(Date.parse(after.issuedAtTime)).toBeGreaterThan(Date.parse(before.issuedAtTime));
  });

  it('updates the profile, part by part, and reads it again', async () => {
    const { user } = await createUser(openPage());
    await updateProfile(user, { displayName: 'Ada', photoURL: 'https://example.org/ada.png' });
    await updateProfile(user, { displayName: 'Ada L.' });
    expect(user).toMatchObject({ displayName: 'Ada L.', photoURL: 'https://example.org/ada.png' });
    await updateProfile(user, { photoURL: '' });
    await reload(user);
    expect(user).toMatchObject({ displayName: 'Ada L.', photoURL: null });
    expect((await user.getIdTokenResult(true)).claims.name).toBe('Ada L.');
    await expect(updateProfile(user, { photoURL: null })).resolves.toBeUndefined();
  });

  it('changes the password, and stays signed in on this page while other sessions end', async () => {
    const [here, elsewhere] = [openPage(), openPage()];
    const { user, email } = await createUser(here);
    const other = await signInWithEmailAndPassword(elsewhere, email, password);
    await updatePassword(user, 'another horse');
    await reload(user);
    await user.getIdToken(true);
    await expect(reload(other.user)).rejects.toEqual(refusedWith('user-token-expired'));
    expect(elsewhere.currentUser).toBeNull();
    await expect(signInWithEmailAndPassword(elsewhere, email, password)).rejects.toEqual(refusedWith('invalid-credential'));
    await signInWithEmailAndPassword(elsewhere, email, 'another horse');
  });

  it('must give the password again for sensitive changes from five minutes after the sign-in on', async () => {
    const { user, email } = await createUser(openPage());
    server.advance(301);
    await expect(updatePassword(user, 'another horse')).rejects.toEqual(refusedWith('requires-recent-login'));
    await expect(deleteUser(user)).rejects.toEqual(refusedWith('requires-recent-login'));
    await expect(verifyBeforeUpdateEmail(user, freshEmail())).rejects.toEqual(refusedWith('requires-recent-login'));
    await reauthenticateWithCredential(user, EmailAuthProvider.credential(email, password));
    await updatePassword(user, 'another horse');
  });

  it('verifies an email address with the code from the email', async () => {
    const auth = openPage();
    const { user, email } = await createUser(auth);
    await sendEmailVerification(user);
    const { oobCode, requestType } = await lastCode(email);
    expect(requestType).toBe('VERIFY_EMAIL');
    await expect(checkActionCode(auth, oobCode)).resolves.toMatchObject({ operation: 'VERIFY_EMAIL', data: { email } });
    await applyActionCode(auth, oobCode);
    await reload(user);
    expect(user.emailVerified).toBe(true);
    await expect(applyActionCode(auth, oobCode)).rejects.toEqual(refusedWith('invalid-action-code'));
  });

  it('resets a forgotten password with an emailed code, which remains valid if a weak password is refused', async () => {
    const auth = openPage();
    const { user, email } = await createUser(auth);
    await sendPasswordResetEmail(auth, email);
    const { oobCode } = await lastCode(email);
    await expect(verifyPasswordResetCode(auth, oobCode)).resolves.toBe(email);
    await expect(confirmPasswordReset(auth, oobCode, '12345')).rejects.toEqual(refusedWith('weak-password'));
    await confirmPasswordReset(auth, oobCode, 'another horse');
    await expect(confirmPasswordReset(auth, oobCode, 'third horse')).rejects.toEqual(refusedWith('invalid-action-code'));
    await expect(reload(user)).rejects.toEqual(refusedWith('user-token-expired'));
    const again = await signInWithEmailAndPassword(auth, email, 'another horse');
    expect(again.user.emailVerified).toBe(true);
  });

  it('gets success for a password reset of an unknown address, although no email is sent', async () => {
    const auth = openPage();
    const email = freshEmail();
    await sendPasswordResetEmail(auth, email);
    await expect(lastCode(email)).rejects.toThrow('No mail came');
    await expect(fetchSignInMethodsForEmail(auth, email)).resolves.toEqual([]);
  });

  it('changes the email address once the new one is confirmed, which a link sent to the former address can undo', async () => {
    const auth = openPage();
    const { user, email } = await createUser(auth);
    const newEmail = freshEmail();
    await expect(updateEmail(user, newEmail)).rejects.toEqual(refusedWith('operation-not-allowed'));
    await verifyBeforeUpdateEmail(user, newEmail);
    const { oobCode } = await lastCode(newEmail);
    await expect(checkActionCode(auth, oobCode)).resolves.toMatchObject({
      operation: 'VERIFY_AND_CHANGE_EMAIL',
      data: { email: newEmail, previousEmail: email },
    });
    await applyActionCode(auth, oobCode);
    await expect(reload(user)).rejects.toEqual(refusedWith('user-token-expired'));
    const moved = await signInWithEmailAndPassword(auth, newEmail, password);
    expect(moved.user).toMatchObject({ uid: user.uid, emailVerified: true });

    const undo = await lastCode(email);
    await expect(checkActionCode(auth, undo.oobCode)).resolves.toMatchObject({ operation: 'RECOVER_EMAIL', data: { email } });
    await applyActionCode(auth, undo.oobCode);
    await expect(signInWithEmailAndPassword(auth, newEmail, password)).rejects.toEqual(refusedWith('invalid-credential'));
    expect((await signInWithEmailAndPassword(auth, email, password)).user.uid).toBe(user.uid);
  });

  it('does not reveal, when the address is changed, that another account has the new address', async () => {
    const auth = openPage();
    const { email: taken } = await createUser(openPage());
    const { user } = await createUser(auth);
    await verifyBeforeUpdateEmail(user, taken);
    await expect(lastCode(taken)).rejects.toThrow('No mail came');
  });

  it('deletes the account, whose address can be used again and whose id is not', async () => {
    const auth = openPage();
    const { user, email } = await createUser(auth);
    await deleteUser(user);
    expect(auth.currentUser).toBeNull();
    expect(server.forgotten).toContain(user.uid);
    await expect(signInWithEmailAndPassword(auth, email, password)).rejects.toEqual(refusedWith('invalid-credential'));
    const next = await createUserWithEmailAndPassword(auth, email, password);
    expect(next.user.uid).not.toBe(user.uid);
  });

  it('is still signed in when the page is opened again', async () => {
    const storage = new Map<string, unknown>();
    const auth = openPage(storage);
    const { user } = await createUser(auth);
    await updateProfile(user, { displayName: 'Ada' });
    const reopened = await reopenPage(auth, storage);
    expect(reopened.currentUser).toMatchObject({ uid: user.uid, displayName: 'Ada' });
    await reopened.currentUser?.getIdToken(true);
  });

  it('is signed out when the page is opened after the account was deleted by another client', async () => {
    const storage = new Map<string, unknown>();
    const auth = openPage(storage);
    const { email } = await createUser(auth);
    const elsewhere = openPage();
    await deleteUser((await signInWithEmailAndPassword(elsewhere, email, password)).user);
    expect((await reopenPage(auth, storage)).currentUser).toBeNull();
  });

  it('keeps its user signed in if the server has a fault while the page loads', async () => {
    const troubled = await startIdentityServer();
    const storage = new Map<string, unknown>();
    const auth = openPage(storage, troubled.origin);
    const { user } = await createUserWithEmailAndPassword(auth, freshEmail(), password);
    await troubled.database.close();
    const reopened = await reopenPage(auth, storage, troubled.origin);
    expect(reopened.currentUser?.uid).toBe(user.uid);
    expect(storage.size).toBe(1);
    await troubled.close();
  });

  it('checks a password against the rules of the server', async () => {
    await expect(validatePassword(openPage(), '12345')).resolves.toMatchObject({ isValid: false, meetsMinPasswordLength: false });
  });
});
