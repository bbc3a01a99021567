import { randomUUID } from 'node:crypto';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { moveClock } from '@chiffchaff/server/testing/move-clock';
import { createTestServer } from '@chiffchaff/server/testing/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createEmulatorClient,
  emulatorBaseUrl,
  emulatorProject,
  emulatorServer,
  emulatorTokenBaseUrl,
} from './identity-services.ts';

/** How long the server may cache the state of an account (docs/identity.md). */
const BELIEVED_MS = 60_000;

describe('A server that trusts the Firebase Auth emulator', () => {
  let server: StartedServer;
  const identity = createEmulatorClient();

  beforeAll(async () => {
    server = await startServer(emulatorServer);
  });
  afterAll(() => server?.stop());

  const signUp = () => identity.signUp({ email: `ada-${randomUUID()}@example.org`, password: 'correct horse' });

  /** Sends two seconds of notes. @returns `200`, or the status and code of the problem */
  async function predict(idToken: string | null): Promise<string> {
    const { buffer, name, mimeType } = fallingNotes(2);
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(buffer)], { type: mimeType }), name);
    const headers: Record<string, string> = idToken === null ? {} : { authorization: `Bearer ${idToken}` };
    const answer = await fetch(`${server.origin}/get_prediction`, { method: 'POST', body: form, headers });
    const body: unknown = await answer.json();
    const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
    return `${answer.status} ${code}`.trimEnd();
  }

  it('tells the page where the emulator is', async () => {
    const config: unknown = await (await fetch(`${server.origin}/config.json`)).json();
    expect(config).toMatchObject({
      openPrediction: false,
      identity: { mode: 'emulator', baseUrl: emulatorBaseUrl, tokenBaseUrl: emulatorTokenBaseUrl, apiKey: emulatorProject },
    });
  });

  it('analyses recordings for an account of the emulator, also with a renewed token', async () => {
    const { token, refreshToken } = await signUp();
    expect(await predict(token)).toBe('200');
    expect(await predict((await identity.renew(refreshToken)).token)).toBe('200');
  });

  it('refuses a recording without an ID token, and with an invalid one', async () => {
    expect(await predict(null)).toBe('401 SIGN_IN_REQUIRED');
    expect(await predict('no.token.')).toBe('401 SESSION_EXPIRED');
  });

  it('refuses an ID token of another project', async () => {
    const { token } = await signUp();
    const [header = '', payload = ''] = token.split('.');
    const claims = Buffer.from(payload, 'base64url').toString().replaceAll(emulatorProject, 'demo-other');
    expect(await predict(`${header}.${Buffer.from(claims).toString('base64url')}.`)).toBe('401 SESSION_EXPIRED');
  });

  it('has no identity routes of its own', async () => {
    const answer = await fetch(`${server.origin}/v1/accounts:signUp?key=any`, { method: 'POST' });
    expect(answer.status).toBe(404);
  });

  it('refuses the ID token of a deleted account at once if it has never seen that account before', async () => {
    const { token } = await signUp();
    await identity.deleteAccount(token);
    expect(await predict(token)).toBe('401 SESSION_EXPIRED');
  });

  it('refuses the ID token of a deleted account within a minute after the deletion if it has seen that account before', async () => {
    const ahead = await createTestServer({ environment: emulatorServer });
    const { token } = await signUp();
    const ask = async () =>
      (await ahead.app.inject({ url: '/v1/predictions', headers: { authorization: `Bearer ${token}` } })).statusCode;
    expect(await ask()).toBe(200);
    await identity.deleteAccount(token);
    moveClock(BELIEVED_MS - 1000);
    expect(await ask()).toBe(200);
    moveClock(BELIEVED_MS + 1000);
    expect(await ask()).toBe(401);
    await ahead.close();
  });
});
