import { makeWav } from '@chiffchaff/analysis/testing';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { field, file } from './testing/multipart.ts';
import { openRawClient } from './testing/raw-client.ts';
import { type SignedInUser, signUp } from './testing/signed-in.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

/** Responses that are still being sent when their session ends. */

const adminSecret = 'a-long-secret-of-the-operators';
const email = 'walker@example.org';
const password = 'two short notes';
let server: TestServer;
let origin: string;
let walker: SignedInUser;
beforeEach(async () => {
  server = await createTestServer({
    environment: { OPEN_PREDICTION: 'false', IDENTITY_ADMIN_SECRET: adminSecret },
    // No heartbeats: a stream that continues sends nothing.
    limits: { jobsPerWorker: 1, heartbeatMs: 3_600_000 },
  });
  origin = await server.listen();
  walker = await signUp(server, email);
});
afterEach(() => server.close());

const identity = async (method: string, payload: object, headers = {}) =>
  (await server.app.inject({ method: 'POST', url: `/v1/${method}?key=any`, payload, headers })).json();
const signInElsewhere = async () => String((await identity('accounts:signInWithPassword', { email, password })).idToken);
const operate = (change: object) =>
  identity(
    'projects/chiffchaff/accounts:update',
    { localId: walker.accountId, ...change },
    { authorization: `Bearer ${adminSecret}` },
  );
const sessionOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;

/** Sends a request as a browser does, but reads only when it is told to. */
async function ask(path: string, token: string | null) {
  const client = await openRawClient(origin);
  client.write(
    `GET ${path} HTTP/1.1\r\nhost: birds\r\n${token === null ? '' : `authorization: Bearer ${token}\r\n`}connection: close\r\n\r\n`,
  );
  await client.until('HTTP/1.1 200');
  return client;
}

describe('The event stream of a prediction', () => {
  let finishWork: () => void;
  beforeEach(async () => {
    const gate = server.analyzer.hold();
    finishWork = gate.release;
    void walker.predict([file('sound')], 'key').catch(() => {});
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
  });
  afterEach(() => finishWork());
  const follow = async (token: string) => {
    const stream = await ask('/v1/predictions/key/events', token);
    await stream.until('event: progress');
    return stream;
  };

  it.each([
    ['the account signs out everywhere', () => walker.send('DELETE', '/v1/account/sessions')],
    ['its session is signed out', () => walker.send('DELETE', '/v1/account/sessions/current')],
    ['the password is changed', () => identity('accounts:update', { idToken: walker.token, password: 'another two notes' })],
    ['the account is deleted', () => walker.send('DELETE', '/v1/account')],
    ['an operator ends the sessions', () => operate({ validSince: Math.floor(Date.now() / 1000) })],
    ['an operator disables the account', () => operate({ disableUser: true })],
  ])('ends when %s', async (_when, signOut) => {
    const stream = await follow(walker.token);
    await signOut();
    await stream.closed;
    expect(server.analyzer.requests).toHaveLength(1);
  });

  it('continues for the session that signs out everywhere else', async () => {
    const elsewhere = await signInElsewhere();
    const [kept, ended] = [await follow(walker.token), await follow(elsewhere)];
    await walker.send('DELETE', '/v1/account/sessions?except=current');
    await ended.closed;
    finishWork();
    await kept.until('event: done');
    kept.cut();
  });

  it('continues when another session, or another account, is signed out', async () => {
    const elsewhere = await signInElsewhere();
    const other = await signUp(server, 'other@example.org');
    const kept = await follow(walker.token);
    await other.send('DELETE', '/v1/account/sessions');
    await walker.send('DELETE', `/v1/account/sessions/${sessionOf(elsewhere)}`);
    finishWork();
    await kept.until('event: done');
    kept.cut();
  });
});

describe('A long response sent for a ticket ends with the session of the ticket:', () => {
  it('the audio of a recording', async () => {
    // More than fits into the buffers between the server and a client that does not read.
    const sent = Buffer.from(makeWav({ seconds: 190, sample: () => 0 }));
    const recording = {
      ...{ fileName: null, sha256: '', container: 'wav', codec: 'pcm_s16le', durationSeconds: 190 },
      ...{ sampleRate: 48_000, channels: 1, truncated: false },
    };
    server.analyzer.answerWith({ recording });
    const { body } = await walker.predict([field('keepAudio', 'recording'), file(sent)]);
    const path = `/v1/predictions/${body.id}`;
    await eventually(async () => expect((await walker.send('GET', `${path}/audio`)).status).toBe(200), { timeout: 30_000 });
    const { url } = (await walker.send('POST', `${path}/ticket`, { purpose: 'audio' })).body;
    const player = await ask(url, null);
    player.socket.pause();
    await walker.send('DELETE', '/v1/account/sessions');
    player.socket.resume();
    await player.closed;
    expect(player.socket.bytesRead).toBeLessThan(sent.length);
  });

  it('the export of all predictions', async () => {
    await walker.predict([file('sound')]);
    const { store } = server.predictions;
    const answersOf = store.answersOf.bind(store);
    vi.spyOn(store, 'answersOf').mockImplementation(async function* (accountId) {
      yield* answersOf(accountId);
      // One more answer, which never arrives.
      await new Promise(() => {});
    });
    const { url } = (await walker.send('POST', '/v1/predictions/ticket')).body;
    const download = await ask(url, null);
    await walker.send('DELETE', '/v1/account/sessions');
    await download.closed;
  });
});
