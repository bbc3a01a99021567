import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bird, calledBy, requestOf, type Walked } from './testing/every-route.ts';
import { fakeRecording } from './testing/fake-analyzer.ts';
import { FORM_TYPE, field, file, form } from './testing/multipart.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';
import { wav } from './testing/wav.ts';

/**
 * Calls every route of the whole server with another person's account and with none: whatever belongs to an account is 404 with another
 * account and 401 with none, and no response contains anything of its owner's.
 */

/** Everything under these belongs to an account; a route that is added there is tested automatically. */
const ownedPrefixes = ['/get_prediction', '/v1/predictions', '/v1/account/', '/v1/account', '/v1/uploads'];
const isOwned = (url: string): boolean =>
  ownedPrefixes.some((prefix) => url === prefix || url.startsWith(`${prefix.replace(/\/$/, '')}/`));

const many = '1000000/3600';
let server: TestServer;
let walked: Walked[] = [];
let people = 0;

interface Somebody {
  readonly email: string;
  readonly localId: string;
  readonly idToken: string;
}

async function signUp(): Promise<Somebody> {
  people += 1;
  const email = `person-${people}@example.org`;
  const payload = { email, password: 'two short notes', returnSecureToken: true };
  const answer = await server.app.inject({ method: 'POST', url: '/v1/accounts:signUp?key=any', payload });
  return { ...answer.json(), email };
}

async function ask(request: ReturnType<typeof requestOf>, token: string | null) {
  const headers = { ...request.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  return server.app.inject({ ...request, headers });
}

let owner: Somebody;
let predictionId: string;
let sessionId: string;
let uploadId: string;
let linkId: string;
let linkToken: string;
const key = 'the-key-of-a-chaffinch';
const fileName = 'chaffinch-behind-our-house.wav';

beforeAll(async () => {
  server = await createTestServer({
    environment: {
      OPEN_PREDICTION: 'false',
      SIGN_UP_LIMIT_PER_CLIENT: many,
      SIGN_IN_LIMIT_PER_CLIENT: many,
      SIGN_IN_LIMIT_PER_ADDRESS: many,
    },
  });
  await server.app.ready();
  walked = calledBy(server.routes).filter(({ url }) => isOwned(url));
  owner = await signUp();
  const authorization = `Bearer ${owner.idToken}`;
  const heard = {
    ...{ scientificName: bird, commonName: 'Chaffinch', startSeconds: 0, endSeconds: 3 },
    ...{ score: 0.8, confidence: 0.8, occurrence: null, hidden: false },
  };
  server.analyzer.answerWith({ recording: fakeRecording(60, fileName), detections: [heard] });
  const answer = await server.app.inject({
    method: 'POST',
    url: '/get_prediction',
    headers: { authorization, 'content-type': FORM_TYPE, 'idempotency-key': key },
    payload: form([field('keepAudio', 'recording'), file(wav(3), fileName)]),
  });
  expect(answer.statusCode, answer.body).toBe(200);
  server.analyzer.answerWith({ detections: [heard] });
  predictionId = answer.json().id;
  const sessions = await server.app.inject({ url: '/v1/account/sessions', headers: { authorization } });
  sessionId = sessions.json().sessions[0].id;
  const headers = { authorization, 'tus-resumable': '1.0.0', 'upload-length': '5' };
  const upload = await server.app.inject({ method: 'POST', url: '/v1/uploads', headers });
  uploadId = String(upload.headers.location).slice('/v1/uploads/'.length);
  const payload = { sound: true };
  const url = `/v1/predictions/${predictionId}/links`;
  const shared = await server.app.inject({ method: 'POST', url, headers: { authorization }, payload });
  expect(shared.statusCode, shared.body).toBe(200);
  linkId = shared.json().link.id;
  linkToken = shared.json().token;
});
afterAll(() => server.close());

const idsOf = (url: string): string[] => {
  if (url.startsWith('/v1/uploads')) return [uploadId];
  if (url.startsWith('/v1/account/links/')) return [linkId];
  return url.includes('/sessions/') ? [sessionId] : [predictionId, key];
};
/** What no stranger may ever read. */
const secrets = () => [owner.email, owner.localId, owner.idToken, fileName, predictionId, sessionId, uploadId, linkId, linkToken];
const isOfOne = ({ url }: Walked): boolean => /[:*]/.test(url.replace('/v1/accounts:', ''));

describe('What belongs to an account', () => {
  it('is served by the routes that this test lists, and by no others', () => {
    const known = walked.map(({ method, url }) => `${method} ${url}`);
    for (const expected of [
      'POST /get_prediction',
      'GET /v1/predictions',
      'GET /v1/predictions/:id',
      'DELETE /v1/predictions/:id',
      'GET /v1/predictions/:id/audio',
      'GET /v1/predictions/:id/events',
      'POST /v1/predictions/:id/conditions',
      'DELETE /v1/predictions/:id/conditions',
      'PUT /v1/predictions/:id/reviews/:scientificName',
      'DELETE /v1/predictions/:id/reviews/:scientificName',
      'POST /v1/predictions/:id/ticket',
      'GET /v1/predictions/export',
      'POST /v1/predictions/ticket',
      'GET /v1/account/export',
      'POST /v1/predictions/:id/links',
      'GET /v1/account/links',
      'DELETE /v1/account/links/:id',
      'POST /v1/uploads',
      'POST /v1/uploads/:id',
      'HEAD /v1/uploads/:id',
      'PATCH /v1/uploads/:id',
      'DELETE /v1/uploads/:id',
    ])
      expect(known).toContain(expected);
  });

  it('is answered 401 without a session', async () => {
    for (const route of walked) {
      for (const id of idsOf(route.url)) {
        const { statusCode, body } = await ask(requestOf(route, id), null);
        expect(statusCode, `${route.method} ${route.url}`).toBe(401);
        for (const secret of secrets().filter((secret) => secret !== id)) expect(body).not.toContain(secret);
      }
    }
  });

  it('is answered 404 to another account, which cannot read or change it', async () => {
    for (const route of walked) {
      // A new stranger each time, because some routes end the calling account.
      const stranger = await signUp();
      for (const id of idsOf(route.url)) {
        const { statusCode, body } = await ask(requestOf(route, id), stranger.idToken);
        if (isOfOne(route)) expect(statusCode, `${route.method} ${route.url} ${body}`).toBe(404);
        expect(statusCode, `${route.method} ${route.url} ${body}`).toBeLessThan(500);
        for (const secret of secrets()) expect(body, `${route.method} ${route.url}`).not.toContain(secret);
      }
    }
  });

  it('can still be read by its owner after another account has tried every route to read or change it', async () => {
    // The owner has deleted nothing that could be restored.
    const reads = walked.filter(
      (route) =>
        !['DELETE', 'PATCH'].includes(route.method) &&
        // This stands for both.
        `${route.method} ${route.url}` !== 'POST /v1/uploads/:id' &&
        !route.url.endsWith('/restore') &&
        isOfOne(route),
    );
    expect(reads.length).toBeGreaterThan(5);
    for (const route of reads) {
      for (const id of idsOf(route.url)) {
        const { statusCode, body } = await ask(requestOf(route, id), owner.idToken);
        expect([200, 206], `${route.method} ${route.url} ${body}`).toContain(statusCode);
      }
    }
  });

  it('is not revealed by a public link', async () => {
    const url = `/v1/shared/${linkToken}`;
    for (const path of ['', `/sound/${encodeURIComponent(bird)}`, `/spectrogram/${encodeURIComponent(bird)}`]) {
      const { body, headers } = await server.app.inject(url + path);
      for (const secret of [...secrets(), key]) expect(body + JSON.stringify(headers), path).not.toContain(secret);
    }
    expect((await server.app.inject(url)).statusCode).toBe(200);
  });
});
