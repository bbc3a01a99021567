import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let pageFolder: string;
beforeAll(async () => {
  pageFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-page-'));
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Chiffchaff</title>');
  server = await createTestServer({ pageFolder });
});
afterAll(async () => {
  await server.close();
  await rm(pageFolder, { recursive: true, force: true });
});

it('The page about a bird that the model does not know is sent with status 404', async () => {
  // Loads the model, because the page does not wait for it.
  expect((await server.app.inject('/v1/species/Troglodytes%20troglodytes')).statusCode).toBe(200);
  const look = async (url: string) => {
    const { statusCode, body } = await server.app.inject({ url, headers: { accept: 'text/html' } });
    expect(body, url).toContain('<title>Chiffchaff</title>');
    return statusCode;
  };
  expect(await look('/birds/Troglodytes_troglodytes')).toBe(200);
  expect(await look('/birds/Troglodytes%20troglodytes?from=history')).toBe(200);
  expect(await look('/birds/Rara_avis')).toBe(404);
  expect(await look('/birds/Rara%20avis?from=history')).toBe(404);
  expect(await look('/process')).toBe(200);
});
