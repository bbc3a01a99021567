import { makeWav } from '@chiffchaff/analysis/testing';
import { spectrogramQuerySchema } from '@chiffchaff/contract';
import { createNoise, eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORM_TYPE, field, file, form, type Part } from '../../testing/multipart.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { detection } from './testing/test-retention.ts';

let server: TestServer;
let owner: string;
let stranger: string;
/** The recording of `whole` is kept as it was sent; of the other prediction, excerpts are kept. */
let whole: { id: string; sent: Buffer };
let moments: string;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const signIn = async (method: string, email: string) => {
  const payload = { email, password: 'two short notes', returnSecureToken: true };
  const answer = await server.app.inject({ method: 'POST', url: `/v1/accounts:${method}?key=any`, payload });
  return String(answer.json().idToken);
};

async function predict(token: string, sound: Buffer, ...fields: Part[]): Promise<string> {
  const answer = await server.app.inject({
    ...{ method: 'POST', url: '/get_prediction' },
    headers: { 'content-type': FORM_TYPE, ...bearer(token) },
    payload: form([...fields, file(sound)]),
  });
  return String(answer.json().id);
}

const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  server.app.inject({ method, url: path, headers });
const ticketFor = async (token: string, id: string, purpose: string) =>
  (
    await server.app.inject({ method: 'POST', url: `/v1/predictions/${id}/ticket`, headers: bearer(token), payload: { purpose } })
  ).json();

/** A tone of 4 kHz from 5 to 6 s, and faint noise throughout. */
const noise = createNoise();
const sound = (seconds: number): number =>
  noise() * 0.05 + (seconds >= 5 && seconds < 6 ? 0.5 * Math.sin(2 * Math.PI * 4000 * seconds) : 0);

beforeAll(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  owner = await signIn('signUp', 'owner@example.org');
  stranger = await signIn('signUp', 'stranger@example.org');
  const sent = Buffer.from(makeWav({ seconds: 10, sample: sound }));
  const recording = {
    ...{ fileName: null, sha256: '', container: 'wav', codec: 'pcm_s16le', durationSeconds: 10 },
    ...{ sampleRate: 48_000, channels: 1, truncated: false },
  };
  server.analyzer.answerWith({ recording, detections: [detection(4, 7)] });
  whole = { id: await predict(owner, sent, field('keepAudio', 'recording')), sent };
  moments = await predict(owner, sent);
  for (const id of [whole.id, moments]) {
    await eventually(async () => expect((await get(`/v1/predictions/${id}/audio`, bearer(owner))).statusCode).toBe(200), {
      timeout: 30_000,
    });
  }
}, 60_000);
afterAll(() => server?.close());

describe('Kept audio over HTTP', () => {
  it('is sent whole and in parts, with its duration', async () => {
    const path = `/v1/predictions/${whole.id}/audio`;
    const all = await get(path, bearer(owner));
    expect(all.headers).toMatchObject({
      ...{ 'content-type': 'audio/wav', 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' },
      'content-length': String(whole.sent.length),
    });
    expect(all.rawPayload.equals(whole.sent)).toBe(true);
    const part = await get(path, { ...bearer(owner), range: 'bytes=100-199' });
    expect(part.statusCode).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 100-199/${whole.sent.length}`);
    expect(part.rawPayload.equals(whole.sent.subarray(100, 200))).toBe(true);
    const end = await get(path, { ...bearer(owner), range: 'bytes=-50' });
    expect(end.rawPayload.equals(whole.sent.subarray(-50))).toBe(true);
    const head = await get(path, bearer(owner), 'HEAD');
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([
      200,
      String(whole.sent.length),
      0,
    ]);
    const beyond = await get(path, { ...bearer(owner), range: `bytes=${whole.sent.length}-` });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${whole.sent.length}`]);
  });

  it('is listed with the prediction, and sent as WebM with Opus if it consists of excerpts', async () => {
    const stored = (await get(`/v1/predictions/${moments}`, bearer(owner))).json();
    expect(stored.keptAudio).toMatchObject({ kind: 'moments', moments: [{ startSeconds: 2, endSeconds: 9, offsetSeconds: 0 }] });
    const answer = await get(`/v1/predictions/${moments}/audio`, bearer(owner));
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'audio/webm; codecs=opus']);
  });

  it('belongs to its owner: 404 for other accounts, 401 without a session', async () => {
    for (const path of ['audio', 'spectrogram?startSeconds=0&endSeconds=1&maxHz=12000&columns=10&rows=16']) {
      const url = `/v1/predictions/${whole.id}/${path}`;
      expect((await get(url, bearer(stranger))).statusCode).toBe(404);
      expect((await get(url)).json()).toMatchObject({ status: 401, code: 'SIGN_IN_REQUIRED' });
      expect((await get(url.replace(whole.id, 'unknown'), bearer(owner))).statusCode).toBe(404);
    }
    expect(await ticketFor(stranger, whole.id, 'audio')).toMatchObject({ status: 404 });
  });

  it('is sent only for a ticket that was made for the audio of the same prediction', async () => {
    const { url } = await ticketFor(owner, whole.id, 'audio');
    expect((await get(url)).rawPayload.equals(whole.sent)).toBe(true);
    expect((await get(url.replace(whole.id, moments))).json()).toMatchObject({ status: 401, code: 'TICKET_INVALID' });
    const exported = await ticketFor(owner, whole.id, 'export');
    expect((await get(`${exported.url}&format=csv`)).statusCode).toBe(200);
    expect((await get(exported.url.replace('/export', '/audio'))).json()).toMatchObject({ code: 'TICKET_INVALID' });
    expect((await get(`${url.replace('/audio', '/export')}&format=csv`)).json()).toMatchObject({ code: 'TICKET_INVALID' });
    expect((await get(`${url}x`)).json()).toMatchObject({ code: 'TICKET_INVALID' });
    // A ticket is valid only for routes that accept one.
    expect((await get(`/v1/predictions/${whole.id}?${url.split('?')[1]}`)).statusCode).toBe(401);
  });

  it('is no longer sent for a ticket after signing out', async () => {
    const token = await signIn('signInWithPassword', 'owner@example.org');
    const { url } = await ticketFor(token, whole.id, 'audio');
    const { url: other } = await ticketFor(owner, whole.id, 'audio');
    expect((await get(url)).statusCode).toBe(200);
    await server.app.inject({ method: 'DELETE', url: '/v1/account/sessions/current', headers: bearer(token) });
    expect((await get(url)).json()).toMatchObject({ status: 401, code: 'TICKET_INVALID' });
    expect((await get(other)).statusCode).toBe(200);
  });

  it('is requested without its ticket being logged', async () => {
    const { url } = await ticketFor(owner, whole.id, 'audio');
    await get(url);
    await get(`${url}x`);
    expect(JSON.stringify(server.logged)).not.toContain(url.split('ticket=')[1]?.slice(0, 40));
  });
});

describe('A spectrogram over HTTP', () => {
  const query = { startSeconds: 0, endSeconds: 10, maxHz: 8000, columns: 100, rows: 80 };
  const show = (id: string, part: Partial<typeof query> = {}) => {
    const asked = Object.entries({ ...query, ...part }).map(([name, value]) => `${name}=${value}`);
    return get(`/v1/predictions/${id}/spectrogram?${asked.join('&')}`, bearer(owner));
  };
  /** The level at that time and frequency. */
  const levelAt = (levels: Buffer, seconds: number, hz: number, { startSeconds, endSeconds, columns, rows, maxHz } = query) =>
    levels[
      Math.floor(((seconds - startSeconds) / (endSeconds - startSeconds)) * columns) * rows + Math.floor((hz / maxHz) * rows)
    ];

  it('shows a tone at its time and frequency, from the spectrum and from the audio', async () => {
    for (const columns of [100, 1000]) {
      const answer = await show(whole.id, { columns });
      expect(answer.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'cache-control': 'private, no-store' });
      const levels = answer.rawPayload;
      expect(levels).toHaveLength(columns * 80);
      const at = (seconds: number, hz: number) => levelAt(levels, seconds, hz, { ...query, columns });
      expect(at(5.5, 4000)).toBeGreaterThan(220);
      expect(at(5.5, 2000)).toBeLessThan(60);
      expect(at(4.5, 4000)).toBeLessThan(60);
      expect(at(6.5, 4000)).toBeLessThan(60);
    }
  });

  it('gives the same loudness about the same value in every time range', async () => {
    const near = { startSeconds: 5.2, endSeconds: 5.8, columns: 60 };
    const [far, close] = [(await show(whole.id)).rawPayload, (await show(whole.id, near)).rawPayload];
    const difference = (levelAt(far, 5.5, 4000) ?? 0) - (levelAt(close, 5.5, 4000, { ...query, ...near }) ?? 0);
    expect(Math.abs(difference)).toBeLessThan(15);
  });

  it('shows excerpts at their time in the recording, and nothing between them', async () => {
    for (const columns of [100, 500]) {
      const levels = (await show(moments, { columns })).rawPayload;
      const at = (seconds: number, hz: number) => levelAt(levels, seconds, hz, { ...query, columns });
      expect(at(5.5, 4000)).toBeGreaterThan(220);
      expect(levels.subarray(0, columns * 80 * 0.19).every((level) => level === 0)).toBe(true);
      expect(levels.subarray(0, columns * 80 * 0.4).some((level) => level > 0)).toBe(true);
    }
  });

  it('refuses a time range that is invalid or too large', async () => {
    expect((await show(whole.id, { endSeconds: 0 })).statusCode).toBe(400);
    expect((await show(whole.id, { startSeconds: 5, endSeconds: 4 })).json()).toMatchObject({
      errors: [{ field: 'endSeconds' }],
    });
    expect(spectrogramQuerySchema.safeParse({ ...query, columns: 2049 }).success).toBe(false);
    expect((await show(whole.id, { columns: 2049 })).statusCode).toBe(400);
    const beyond = await show(whole.id, { startSeconds: 100, endSeconds: 110 });
    expect(beyond.rawPayload.every((level) => level === 0)).toBe(true);
  });
});

describe('The audio retention of an account', () => {
  const settings = '/v1/account/settings';
  const change = (payload: object) => server.app.inject({ method: 'POST', url: settings, headers: bearer(stranger), payload });

  it('can be changed to keep only short recordings whole, and to keep less again', async () => {
    for (const keepAudio of ['shortRecording', 'moments', 'shortRecording', 'nothing', 'moments']) {
      expect((await change({ keepAudio })).json()).toEqual({ keepAudio });
      expect((await get(settings, bearer(stranger))).json()).toEqual({ keepAudio });
      expect((await get('/v1/account/export', bearer(stranger))).json()).toMatchObject({ settings: { keepAudio } });
    }
  });

  it('is excerpts at first, can be changed, is exported, and deleted with the account', async () => {
    expect((await get(settings, bearer(stranger))).json()).toEqual({ keepAudio: 'moments' });
    expect((await change({ keepAudio: 'everything' })).statusCode).toBe(400);
    expect((await change({ keepAudio: 'recording' })).json()).toEqual({ keepAudio: 'recording' });
    const id = await predict(stranger, whole.sent);
    await expect
      .poll(async () => (await get('/v1/account/export', bearer(stranger))).json())
      .toMatchObject({
        settings: { keepAudio: 'recording' },
        keptAudio: [{ predictionId: id, kind: 'recording' }],
      });
    // With several machines, the row of audio that is being prepared stays until a sweep.
    const prepared = server.database.query.selectFrom('keptSounds').select('preparedAtMs').where('predictionId', '=', id);
    await expect.poll(() => prepared.execute()).toEqual([{ preparedAtMs: expect.any(Number) }]);
    await server.app.inject({ method: 'DELETE', url: '/v1/account', headers: bearer(stranger) });
    const rows = await server.database.query.selectFrom('accountSettings').selectAll().execute();
    const sounds = await server.database.query.selectFrom('keptSounds').select('predictionId').execute();
    expect(rows).toEqual([]);
    expect(sounds.map(({ predictionId }) => predictionId)).not.toContain(id);
  });
});
