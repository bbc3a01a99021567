import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FORM_TYPE, file, form } from './testing/multipart.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
});
afterEach(() => server.close());

const identity = async (method: string, payload: object) =>
  (await server.app.inject({ method: 'POST', url: `/v1/accounts:${method}?key=any`, payload })).json();

const credentials = { email: 'walker@example.org', password: 'two short notes', returnSecureToken: true };

async function predict(token: string | null): Promise<{ status: number; code: string | undefined }> {
  const answer = await server.app.inject({
    method: 'POST',
    url: '/get_prediction',
    headers: { 'content-type': FORM_TYPE, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    payload: form([file('a sound')]),
  });
  return { status: answer.statusCode, code: answer.json().code };
}

describe('A server that requires sign-in', () => {
  it('answers predictions of signed-in accounts, and refuses those of signed-out visitors', async () => {
    const { idToken } = await identity('signUp', credentials);
    expect(await predict(idToken)).toEqual({ status: 200, code: undefined });
    expect(await predict(null)).toEqual({ status: 401, code: 'SIGN_IN_REQUIRED' });
    expect(await predict('no.token.atall')).toEqual({ status: 401, code: 'SESSION_EXPIRED' });
  });

  it('refuses a deleted account at once', async () => {
    const { idToken } = await identity('signUp', credentials);
    await identity('delete', { idToken });
    expect(await predict(idToken)).toEqual({ status: 401, code: 'SESSION_EXPIRED' });
  });

  it('refuses an account’s other sessions after a change of its password, and accepts the session that changed it', async () => {
    const first = await identity('signUp', credentials);
    const elsewhere = await identity('signInWithPassword', credentials);
    const changed = await identity('update', { idToken: first.idToken, password: 'another two notes', returnSecureToken: true });
    expect(await predict(elsewhere.idToken)).toEqual({ status: 401, code: 'SESSION_EXPIRED' });
    expect(await predict(changed.idToken)).toEqual({ status: 200, code: undefined });
  });

  it('refuses a session that was signed out everywhere', async () => {
    const { idToken } = await identity('signUp', credentials);
    const answer = await server.app.inject({
      method: 'DELETE',
      url: '/v1/account/sessions',
      headers: { authorization: `Bearer ${idToken}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(await predict(idToken)).toEqual({ status: 401, code: 'SESSION_EXPIRED' });
  });

  it('answers identity requests from every origin, and predictions only from allowed ones', async () => {
    const preflight = (url: string) =>
      server.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin: 'https://stranger.example', 'access-control-request-method': 'POST' },
      });
    expect((await preflight('/v1/accounts:signUp?key=any')).headers['access-control-allow-origin']).toBe('*');
    expect((await preflight('/get_prediction')).headers['access-control-allow-origin']).toBeUndefined();
  });
});
