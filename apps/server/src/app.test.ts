import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { programVersion } from '@chiffchaff/analysis/program-version';
import { expectedSpeciesSchema, problemBodySchema, problems, publicConfigSchema } from '@chiffchaff/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRawClient } from './testing/raw-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from './testing/test-server.ts';

let server: TestServer;
let pageFolder: string;

beforeAll(async () => {
  pageFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-page-'));
  await mkdir(join(pageFolder, 'assets'));
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><head><title>Chiffchaff</title></head>');
  await writeFile(join(pageFolder, 'assets', 'main-a1b2c3.js'), 'void 0;');
  await writeFile(join(pageFolder, 'assets', 'main-a1b2c3.js.br'), 'compressed');
  await writeFile(join(pageFolder, 'service-worker.js'), 'void 0;');
  await writeFile(join(pageFolder, 'preloads.json'), '{"/listen":["/assets/listen-1.js"],"/birds/*":["/assets/bird-2.css"]}');
  await writeFile(join(pageFolder, '.built'), 'stamp');
});
afterAll(() => rm(pageFolder, { recursive: true, force: true }));
afterEach(() => server.close());

async function start(options?: TestServerOptions): Promise<TestServer> {
  server = await createTestServer(options);
  return server;
}

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });
const asPage = { accept: 'text/html,application/xhtml+xml' };

describe('Access to routes', () => {
  it('is declared by every route', async () => {
    const { routes, app } = await start({ pageFolder });
    await app.ready();
    expect(routes.length).toBeGreaterThan(10);
    const declared = ['public', 'signedIn', 'signedInOrTicket'];
    expect(routes.filter(({ config }) => !declared.includes(config?.access ?? ''))).toEqual([]);
  });

  it('must be declared by every route, or the server does not start', async () => {
    await start();
    server.app.get('/forgotten', async () => 'secret');
    await expect(server.app.ready()).rejects.toThrow('GET /forgotten');
  });

  it('requires sign-in where the route says so', async () => {
    await start();
    server.app.get('/private', { config: { access: 'signedIn' } }, async () => 'secret');
    const response = await get('/private');
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code: 'SIGN_IN_REQUIRED' });
  });
});

it('GET /setup sends the page to any program, not only to those that ask for HTML', async () => {
  await start({ pageFolder });
  const response = await get('/setup', { accept: '*/*' });
  expect([response.statusCode, response.body]).toEqual([404, '<!doctype html><head><title>Chiffchaff</title></head>']);
});

describe('The health routes', () => {
  it('answer /healthz with 200 even if model and decoder are missing', async () => {
    await start({ missing: ['MODEL_NOT_INSTALLED', 'DECODER_NOT_INSTALLED'] });
    const response = await get('/healthz');
    expect(response.json()).toEqual({ status: 'ok', ...programVersion });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('answer /readyz with 200 when predictions can be made', async () => {
    await start();
    expect((await get('/readyz')).json()).toEqual({
      ...{ status: 'ready', model: true, decoder: true, storage: true, accepts: true, refusals: [] },
    });
  });

  it('answer simultaneous requests to /readyz with one check', async () => {
    await start();
    await server.app.ready();
    const look = vi.spyOn(server.database, 'findFault').mockResolvedValue(null);
    const answers = await Promise.all(Array.from({ length: 10 }, () => get('/readyz')));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
    expect(look).toHaveBeenCalledTimes(1);
    await get('/readyz');
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('name at /readyz everything that predictions still need', async () => {
    await start({ missing: ['MODEL_NOT_INSTALLED', 'DECODER_NOT_INSTALLED'] });
    vi.spyOn(server.database, 'findFault').mockResolvedValue(null);
    await rm(server.dataDir, { recursive: true });
    const response = await get('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({
      code: 'NOT_READY',
      detail:
        'This server cannot analyse recordings: the model is not installed, the decoder (ffmpeg) is not installed, the storage is not writable.',
    });
  });
});

describe('A server whose model is damaged', () => {
  it('says so at /readyz and in answer to a recording, with 503', async () => {
    await start({ missing: ['MODEL_DAMAGED'] });
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json().detail]).toEqual([
      503,
      'This server cannot analyse recordings: the files of the model have changed since it was installed.',
    ]);
    const species = await get('/v1/species?latitude=50&longitude=10');
    expect([species.statusCode, species.json().code]).toEqual([503, 'MODEL_DAMAGED']);
  });
});

describe('POST /share, to which another app shares a recording,', () => {
  it('is redirected to the page at once, without the recording being read', async () => {
    await start({ pageFolder });
    const endless = new Readable({ read() {} });
    const response = await server.app.inject({
      method: 'POST',
      url: '/share',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      payload: endless,
    });
    expect(response.statusCode).toBe(303);
    expect(response.headers).toMatchObject({ location: '/process?shared=unavailable', connection: 'close' });
    endless.destroy();
  });
});

describe('GET /config.json', () => {
  it('contains the settings of the server that the page needs', async () => {
    await start({
      environment: { MAX_UPLOAD_BYTES: '1000', API_ORIGIN: 'https://api.example.org' },
      fixedSettings: { siteName: '<b>Birds</b>', defaultPlace: '-12.05, -77.04, Lima' },
    });
    const response = await get('/config.json');
    expect(publicConfigSchema.parse(response.json())).toMatchObject({
      apiOrigin: 'https://api.example.org',
      openPrediction: true,
      limits: { maxUploadBytes: 1000, maxRecordingSeconds: 10_800, minRecordingSeconds: 0.5 },
      // Unchanged, because the page shows it as text.
      terms: { siteName: '<b>Birds</b>', businessName: null },
      defaultPlace: { latitude: -12.05, longitude: -77.04, name: 'Lima' },
      ...programVersion,
      languages: ['en_uk', 'en_us', 'de', 'pt'],
      model: { id: 'fake', attribution: 'Nobody', words: { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 } },
    });
    expect(response.headers['cache-control']).toBe('no-cache');
  });

  it('names no model while none is installed', async () => {
    await start({ missing: ['MODEL_NOT_INSTALLED'] });
    expect((await get('/config.json')).json()).toMatchObject({ model: null, languages: [] });
  });
});

describe('GET /v1/species', () => {
  it('returns the species expected at a place and week', async () => {
    await start();
    const response = await get('/v1/species?latitude=50.8&longitude=12.9&date=2026-12-31&language=de');
    expect(expectedSpeciesSchema.parse(response.json()).species).toEqual([
      { scientificName: 'Phylloscopus collybita', commonName: 'de 48', occurrence: 0.9 },
    ]);
  });

  it.each([
    ['', ['latitude', 'longitude']],
    ['?latitude=1', ['longitude']],
    ['?latitude=91&longitude=0', ['latitude']],
    ['?latitude=1&longitude=0&date=yesterday', ['date']],
    ['?latitude=1&longitude=0&language=tlh', ['language']],
    ['?latitude=1&latitude=2&longitude=0', ['latitude']],
  ])('refuses %j and names what is wrong with it', async (query, fields) => {
    await start();
    const response = await get(`/v1/species${query}`);
    expect(response.statusCode).toBe(400);
    expect(problemBodySchema.parse(response.json()).errors?.map(({ field }) => field)).toEqual(fields);
  });
});

describe('The page that the server serves', () => {
  it('is returned at the root path, and checked for a new version each time', async () => {
    await start({ pageFolder });
    const response = await get('/', asPage);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-cache');
  });

  it.each(['/process', '/history/abc', '/login?next=%2Fprocess'])('is returned for a navigation to %s', async (url) => {
    await start({ pageFolder });
    const response = await get(url, asPage);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('<title>Chiffchaff</title>');
    expect(response.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it.each([
    ['/listen?save=1', '<link rel="preload" href="/assets/listen-1.js" as="fetch" crossorigin />'],
    ['/birds/Erithacus%20rubecula', '<link rel="preload" href="/assets/bird-2.css" as="style" crossorigin />'],
    ['/birds', ''],
    ['/', ''],
  ])('names the files that the screen at %s needs besides those of the first page', async (url, links) => {
    await start({ pageFolder });
    expect((await get(url, asPage)).body).toBe(`<!doctype html><head><title>Chiffchaff</title>${links}</head>`);
  });

  it('is sent exactly once for a navigation, and the log does not contain its query', async () => {
    await start({ pageFolder });
    const origin = await server.listen();
    await fetch(`${origin}/auth/action?mode=resetPassword&oobCode=A-SECRET`, { headers: asPage });
    await fetch(`${origin}/history?search=somewhere`, { headers: asPage });
    const lines = server.logged.map((line) => JSON.stringify(line));
    expect(lines.filter((line) => /A-SECRET|somewhere|already sent/.test(line))).toEqual([]);
    expect(server.logged.filter(({ statusCode, status }) => (statusCode ?? status) === 200)).toHaveLength(2);
  });

  it.each([
    ['/process', { accept: 'application/json' }],
    ['/assets/main-old.js', asPage],
    ['/v1/unknown', asPage],
    ['/docs/unknown', asPage],
    ['/.built', asPage],
    ['/..%2f..%2fpackage.json', asPage],
  ])('is not returned for %s (%j)', async (url, headers) => {
    await start({ pageFolder });
    const response = await get(url, headers);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has compressed files with a hash in their names that are kept for ever, also for a request that names its origin, and others that are checked each time', async () => {
    await start({ pageFolder });
    const asset = await get('/assets/main-a1b2c3.js', { 'accept-encoding': 'br' });
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(asset.headers['content-encoding']).toBe('br');
    expect(asset.headers.vary).toBe('accept-encoding');
    expect(asset.headers['content-type']).toContain('javascript');
    expect((await get('/assets/main-a1b2c3.js')).body).toBe('void 0;');
    expect((await get('/service-worker.js')).headers['cache-control']).toBe('no-cache');
  });

  it('can be missing: its path is answered 404, and the API still answers', async () => {
    await start();
    expect((await get('/', asPage)).statusCode).toBe(404);
    expect((await get('/healthz')).statusCode).toBe(200);
  });
});

describe('A request without a route', () => {
  it.each([
    ['GET', '/get_prediction', 'POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['POST', '/v1/places?q=x', 'GET, HEAD'],
  ] as const)('%s %s is answered 405 with Allow', async (method, url, allow) => {
    await start({ pageFolder });
    const response = await server.app.inject({ method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', detail: `This address only accepts ${allow}.` });
  });

  it.each(['/nothing', '/v1/nothing', '/get_prediction/more'])('%s is answered 404', async (url) => {
    await start();
    const response = await get(url);
    expect(response.statusCode).toBe(404);
    expect(problemBodySchema.parse(response.json())).toMatchObject({
      code: 'NOT_FOUND',
      instance: response.headers['x-request-id'],
    });
  });

  it('with a malformed address is answered 400', async () => {
    await start();
    const response = await get('/%zz');
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('in bytes that are not HTTP is answered with a problem, and the connection ends', async () => {
    await start();
    const client = await openRawClient(await server.listen());
    client.write('HELLO THERE\r\n\r\n');
    expect(await client.until('"REQUEST_INVALID"')).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    await client.closed;
  });
});

describe('The response headers', () => {
  it('allow scripts, styles and calls of the page and the API only, and do not enforce https', async () => {
    await start({ environment: { API_ORIGIN: 'https://api.example.org' } });
    const policy = String((await get('/healthz')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';"); // recognition in the browser
    expect(policy).toContain("style-src 'self' 'unsafe-inline'");
    expect(policy).toContain("connect-src 'self' blob: https://api.example.org");
    expect(policy).not.toContain('upgrade-insecure-requests');
  });

  it('allow the page the device functions that it needs, and no others', async () => {
    await start();
    const policy = String((await get('/healthz')).headers['permissions-policy'])
      .split(', ')
      .map((rule) => rule.split('='));
    const allowed = policy.filter(([, who]) => who !== '()');
    expect(Object.fromEntries(allowed)).toEqual({
      microphone: '(self)',
      geolocation: '(self)',
      'screen-wake-lock': '(self)',
    });
    // Chromium knows it only on some systems and logs a warning on others; a feature that is not named is only for our own pages anyway.
    expect(policy.map(([feature]) => feature)).not.toContain('web-share');
    expect(Object.keys(Object.fromEntries(policy))).toEqual(
      expect.arrayContaining(['camera', 'display-capture', 'usb', 'payment']),
    );
  });

  it('require https only if the configuration says that it is used', async () => {
    await start();
    expect((await get('/healthz')).headers['strict-transport-security']).toBeUndefined();
    await server.close();
    await start({ environment: { PUBLIC_URL: 'https://birds.example.org' } });
    expect((await get('/healthz')).headers['strict-transport-security']).toContain('max-age=');
  });

  it('contain an id of the request, taken only from a trusted proxy', async () => {
    await start();
    const given = { 'x-request-id': 'abcdefgh-12345' };
    expect((await get('/healthz', given)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    await server.close();
    await start({ environment: { TRUST_PROXY: 'true' } });
    expect((await get('/healthz', given)).headers['x-request-id']).toBe('abcdefgh-12345');
    expect((await get('/healthz', { 'x-request-id': 'no\tgood id' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('Pages of other origins', () => {
  const preflight = (origin: string) =>
    server.app.inject({
      method: 'OPTIONS',
      url: '/get_prediction',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  it('can call the API if their origin is allowed', async () => {
    await start({ environment: { ALLOWED_ORIGINS: 'https://a.example,https://b.example' } });
    const allowed = await preflight('https://b.example');
    expect(allowed.headers['access-control-allow-origin']).toBe('https://b.example');
    expect(String(allowed.headers['access-control-allow-headers']).toLowerCase()).toMatch(
      /authorization.*idempotency-key.*tus-resumable/,
    );
    const answer = await get('/healthz', { origin: 'https://a.example' });
    expect(answer.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    expect(answer.headers.vary).toContain('Origin');
  });

  it('can read error responses of the API, too, if their origin is allowed', async () => {
    await start({ environment: { ALLOWED_ORIGINS: 'https://a.example' } });
    for (const [path, status] of [
      ['/nothing', 404],
      ['/v1/predictions', 401],
    ] as const) {
      const answer = await get(path, { origin: 'https://a.example' });
      expect([path, answer.statusCode]).toEqual([path, status]);
      expect(answer.headers['access-control-allow-origin']).toBe('https://a.example');
    }
  });

  it.each(['https://evil.example', 'https://a.example.evil.example', 'null'])('cannot call the API from %s', async (origin) => {
    await start({ environment: { ALLOWED_ORIGINS: 'https://a.example' } });
    expect((await preflight(origin)).headers['access-control-allow-origin']).toBeUndefined();
    expect((await get('/healthz', { origin })).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('can call the API from local development origins, except in production', async () => {
    await start();
    expect((await preflight('http://localhost:5173')).headers['access-control-allow-origin']).toBe('http://localhost:5173');
    await server.close();
    await start({ environment: { NODE_ENV: 'production' } });
    expect((await preflight('http://localhost:5173')).headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('The description of the API', () => {
  it('has every route, the schema of a prediction and the problems', async () => {
    await start({ pageFolder });
    const api = (await get('/openapi.json')).json();
    expect(api.openapi).toBe('3.1.0');
    expect(Object.keys(api.paths)).toEqual(
      expect.arrayContaining([
        '/config.json',
        '/get_prediction',
        '/healthz',
        '/readyz',
        '/v1/account',
        '/v1/accounts:signUp',
        '/v1/places',
        '/v1/species',
        '/v1/token',
      ]),
    );
    const refused = (path: string) => Object.keys(api.paths[path].post.responses['4XX'].content);
    expect(refused('/get_prediction')).toEqual(['application/problem+json']);
    expect(refused('/v1/accounts:signUp')).toEqual(['application/json']);
    const { post } = api.paths['/get_prediction'];
    const form = post.requestBody.content['multipart/form-data'].schema;
    expect(Object.keys(form.properties)).toEqual(expect.arrayContaining(['file', 'upload', 'latitude']));
    expect(form.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    expect(form.properties.latitude).toMatchObject({ type: 'number', minimum: -90, maximum: 90 });
    expect(post.responses['200'].content['application/json'].schema.properties.verdict).toBeDefined();
    expect(post.responses['4XX'].content['application/problem+json'].schema.properties.code).toBeDefined();
  });

  it('is shown as a page that loads nothing from other sites', async () => {
    await start({ pageFolder });
    const page = await get('/docs/api', asPage);
    expect(page.statusCode).toBe(200);
    const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source);
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).toMatch(/^(#|\/(?!\/))/);
      if (source?.startsWith('#')) expect(page.body).toContain(` id="${source.slice(1)}"`);
      // The others belong to the web app.
      if (source?.startsWith('/docs/')) expect((await get(source)).statusCode).toBe(200);
    }
    expect(page.body).not.toMatch(/<script>|https?:\/\//);
  });
});

describe('The catalogue of problems', () => {
  it('has only statuses that HTTP defines as errors', () => {
    for (const { status } of Object.values(problems)) expect(status).toBeGreaterThanOrEqual(400);
  });
});
