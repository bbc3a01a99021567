import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let pageFolder: string;
beforeAll(async () => {
  pageFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-page-'));
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Chiffchaff</title>');
});
afterAll(() => rm(pageFolder, { recursive: true, force: true }));
afterEach(() => server.close());

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });
const asPage = { accept: 'text/html' };

describe.each([
  ['/openapi.json', {}],
  ['/docs/api/json', {}],
  ['/docs/api/yaml', {}],
  ['/docs/api/static/look.css', {}],
  ['/docs/api', asPage],
  ['/config.json', {}],
  ['/history', asPage],
])('The response to %s', (url, headers) => {
  // The page is for itself alone; the others are for other origins, too.
  const vary = url === '/history' ? 'accept-encoding' : 'Origin, accept-encoding';

  it('is compressed as the client accepts, and not sent again to a client that has it', async () => {
    server = await createTestServer({ pageFolder });
    const plain = await get(url, headers);
    expect(plain.statusCode).toBe(200);
    expect(plain.headers).toMatchObject({ 'cache-control': 'no-cache', vary });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const inBrotli = await get(url, { ...headers, 'accept-encoding': 'gzip, deflate, br;q=0.5' });
    expect(inBrotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(inBrotli.rawPayload).toString()).toBe(plain.body);
    const inGzip = await get(url, { ...headers, 'accept-encoding': 'GZIP, br;q=0' });
    expect(inGzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(inGzip.rawPayload).toString()).toBe(plain.body);
    const etag = String(plain.headers.etag);
    expect(inBrotli.headers.etag).toBe(etag);
    const known = await get(url, { ...headers, 'if-none-match': `"other", ${etag}` });
    expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', etag]);
    expect((await get(url, { ...headers, 'if-none-match': '"other"' })).statusCode).toBe(200);
    expect((await server.app.inject({ method: 'HEAD', url, headers })).headers['content-length']).toBe(
      String(plain.rawPayload.length),
    );
  });
});

it('The description of the API is serialised once, not for each request', async () => {
  server = await createTestServer();
  const first = await get('/openapi.json');
  const write = vi.spyOn(JSON, 'stringify');
  const answers = [first, await get('/openapi.json'), await get('/docs/api/json')];
  const large = write.mock.results.filter(({ value }) => String(value).length > 10_000);
  write.mockRestore();
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(large).toEqual([]);
});

it('The page is served in its new version once it has been built again', async () => {
  server = await createTestServer({ pageFolder });
  const first = await get('/process', asPage);
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Another</title>');
  await utimes(join(pageFolder, 'index.html'), new Date(), new Date(Date.now() + 5000));
  const second = await get('/process', asPage);
  expect(second.body).toContain('Another');
  expect(second.headers.etag).not.toBe(first.headers.etag);
});

it('GET /config.json names a model once it is loaded, also to a client that has the response from before', async () => {
  let isInstalled = false;
  const missing = [{ code: 'MODEL_NOT_INSTALLED', advice: '' }] as const;
  server = await createTestServer({
    changeService: (service) => ({ ...service, load: async () => (isInstalled ? service.load() : { missing }) }),
  });
  const before = await get('/config.json');
  expect(before.json()).toMatchObject({ model: null });
  isInstalled = true;
  await server.modelLoader.get();
  const after = await get('/config.json', { 'if-none-match': String(before.headers.etag) });
  expect(after.json()).toMatchObject({ model: { id: server.analyzer.model.id } });
});
