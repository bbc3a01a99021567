import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeRequest, nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from '../api/http-client.ts';
import { createIdentityClient, IDENTITY_TIMEOUT_MS, type IdentityClient } from './identity-client.ts';
import { IdentityFailure } from './identity-failure.ts';

beforeEach(useFakeTransport);

const google = {
  baseUrl: 'https://identitytoolkit.googleapis.com',
  tokenBaseUrl: 'https://securetoken.googleapis.com',
  apiKey: 'a key',
  language: () => 'de',
};
const client = (options = google) => createIdentityClient(options, overFakeTransport(createHttpClient('')));
const tokens = { idToken: 'id', refreshToken: 'refresh', expiresIn: '3600', localId: 'u1' };
const session = { token: 'id', refreshToken: 'refresh', expiresInSeconds: 3600, localId: 'u1' };
const ada = { email: 'ada@example.org', password: ' pass word ' };

/** Makes a call and responds to it. @returns what was sent, and the outcome */
async function exchange<Answer>(call: (client: IdentityClient) => Promise<Answer>, body: unknown, status = 200) {
  const outcome = call(client()).then(
    (value) => ({ value, failure: null }),
    (failure: unknown) => ({ value: null, failure }),
  );
  const request = await nextRequest();
  request.answer(status, body);
  const sent: unknown =
    typeof request.body === 'string' && request.body.startsWith('{') ? JSON.parse(request.body) : request.body;
  return { request, sent, ...(await outcome) };
}

describe('The identity client of the page', () => {
  it('signs up by POST accounts:signUp with the key, email address, password and returnSecureToken', async () => {
    const { request, sent, value } = await exchange((identity) => identity.signUp(ada), { ...tokens, email: ada.email });
    expect([request.method, request.url]).toEqual([
      'POST',
      'https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=a+key',
    ]);
    expect(sent).toEqual({ ...ada, returnSecureToken: true });
    expect(value).toEqual(session);
  });

  it('records the version of the accepted terms in the request that signs up', async () => {
    const { sent } = await exchange((identity) => identity.signUp({ ...ada, termsVersion: '1' }), tokens);
    expect(sent).toEqual({ ...ada, termsVersion: '1', returnSecureToken: true });
  });

  it('signs in by POST accounts:signInWithPassword', async () => {
    const { request, sent, value } = await exchange((identity) => identity.signIn(ada), { ...tokens, displayName: '' });
    expect(request.url).toBe('https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=a+key');
    expect(sent).toEqual({ ...ada, returnSecureToken: true });
    expect(value).toEqual(session);
  });

  it('renews a session by a form-encoded request to the token service’s own address', async () => {
    const answer = { id_token: 'id', access_token: 'id', refresh_token: 'refresh', expires_in: '60', user_id: 'u1' };
    const { request, value } = await exchange((identity) => identity.renew('r/1'), answer);
    expect(request.url).toBe('https://securetoken.googleapis.com/v1/token?key=a+key');
    expect(request.requestHeaders['content-type']).toContain('application/x-www-form-urlencoded');
    expect(String(request.body)).toBe('grant_type=refresh_token&refresh_token=r%2F1');
    expect(value).toEqual({ token: 'id', refreshToken: 'refresh', expiresInSeconds: 60 });
  });

  it('looks up an account, and uses defaults for what the service does not say about it', async () => {
    const kind = 'identitytoolkit#GetAccountInfoResponse';
    const known = { localId: 'u1', email: ada.email };
    const { sent, value } = await exchange((identity) => identity.lookup('id'), { kind, users: [known] });
    expect(sent).toEqual({ idToken: 'id' });
    expect(value).toEqual({ ...known, emailVerified: false, displayName: '' });
    const { failure } = await exchange((identity) => identity.lookup('id'), { kind, users: [] });
    expect(failure).toBeInstanceOf(IdentityFailure);
  });

  it.each<[string, (identity: IdentityClient) => Promise<unknown>, string, object, object]>([
    ['sets a display name', (i) => i.setDisplayName('id', 'Ada'), 'update', { idToken: 'id', displayName: 'Ada' }, {}],
    [
      'removes a display name',
      (i) => i.setDisplayName('id', ''),
      'update',
      { idToken: 'id', deleteAttribute: ['DISPLAY_NAME'] },
      {},
    ],
    [
      'sets a password and takes the new tokens',
      (i) => i.setPassword('id', 'new one'),
      'update',
      { idToken: 'id', password: 'new one', returnSecureToken: true },
      tokens,
    ],
    ['deletes the account', (i) => i.deleteAccount('id'), 'delete', { idToken: 'id' }, {}],
    [
      'requests an email that resets a password',
      (i) => i.sendCodeMail({ requestType: 'PASSWORD_RESET', email: ada.email }),
      'sendOobCode',
      { requestType: 'PASSWORD_RESET', email: ada.email },
      {},
    ],
    [
      'looks up what an emailed code is for',
      (i) => i.checkCode('c'),
      'resetPassword',
      { oobCode: 'c' },
      { email: 'a@b.c', requestType: 'VERIFY_EMAIL' },
    ],
    [
      'resets a password with an emailed code',
      (i) => i.resetPassword('c', 'new one'),
      'resetPassword',
      { oobCode: 'c', newPassword: 'new one' },
      {},
    ],
    ['applies an emailed code', (i) => i.applyCode('c'), 'update', { oobCode: 'c' }, { localId: 'u1', email: 'a@b.c' }],
  ])('%s', async (_fact, call, method, expected, answer) => {
    const { request, sent, failure } = await exchange(call, answer);
    expect(failure).toBeNull();
    expect(request.url).toContain(`/v1/accounts:${method}?`);
    expect(sent).toEqual(expected);
    expect(request.requestHeaders['x-firebase-locale']).toBe('de');
  });

  it('calls the page’s own origin if no address is configured', async () => {
    const answer = client({ ...google, baseUrl: '', tokenBaseUrl: '' }).signIn(ada);
    const request = await nextRequest();
    request.answer(200, tokens);
    await answer;
    expect(request.url).toBe('/v1/accounts:signInWithPassword?key=a+key');
  });
});

describe('A failure of the identity service on the page', () => {
  const failureOf = async (end: (request: FakeRequest) => void): Promise<IdentityFailure> => {
    const failure = client()
      .signIn(ada)
      .catch((thrown: unknown) => thrown);
    end(await nextRequest());
    const found = await failure;
    if (found instanceof IdentityFailure) return found;
    throw new Error('Rejected with something else');
  };
  const refusal = (message: string) => ({ error: { code: 400, message, errors: [], status: 'INVALID_ARGUMENT' } });

  it.each([
    ['INVALID_LOGIN_CREDENTIALS', 'INVALID_LOGIN_CREDENTIALS'],
    ['WEAK_PASSWORD : Password should be at least 6 characters', 'WEAK_PASSWORD'],
    ['TOO_MANY_ATTEMPTS_TRY_LATER : Access has been disabled : try later', 'TOO_MANY_ATTEMPTS_TRY_LATER'],
    ['API key not valid. Please pass a valid API key.', 'API key not valid. Please pass a valid API key.'],
  ])('keeps the identity service’s raw message %j, and the code before " : "', async (message, code) => {
    const failure = await failureOf((request) => request.answer(400, refusal(message)));
    expect([failure.message, failure.code]).toEqual([message, code]);
  });

  it('is also read from the shorter error format of the token service', async () => {
    const failure = await failureOf((request) => request.answer(400, { error: { code: 400, message: 'INVALID_REFRESH_TOKEN' } }));
    expect(failure.code).toBe('INVALID_REFRESH_TOKEN');
  });

  it.each([201, 204, 404, 500, 503])('is any response with a status other than 200: %i', async (status) => {
    const failure = await failureOf((request) => request.answer(status, status < 300 ? tokens : 'busy'));
    expect(failure.code).toBeNull();
  });

  it('is also a response with status 200 that lacks tokens', async () => {
    expect((await failureOf((request) => request.answer(200, { ...tokens, idToken: undefined }))).code).toBeNull();
    expect((await failureOf((request) => request.answer(200, { ...tokens, expiresIn: 'soon' }))).code).toBeNull();
    expect((await failureOf((request) => request.answer(200, '<!doctype html>'))).code).toBeNull();
  });

  it.each([
    ['network', 'Network Error'],
    ['abort', 'Request aborted'],
    ['timeout', `timeout of ${IDENTITY_TIMEOUT_MS} ms exceeded`],
  ] as const)('has the HTTP client’s message when the request breaks off: %s', async (how, message) => {
    const failure = await failureOf((request) => {
      expect(request.timeout).toBe(IDENTITY_TIMEOUT_MS);
      request.breakOff(how);
    });
    expect([failure.message, failure.code]).toEqual([message, null]);
  });
});
