import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { afterEach, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const described = fileURLToPath(new URL('../../../../models/birdnet-v2.4/', import.meta.url));
const route = '/v1/models/birdnet-v2.4/evidence';

let server: TestServer | null = null;
let folder: string | null = null;
afterEach(async () => {
  await server?.close();
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  server = null;
  folder = null;
});

/** A server with a complete model folder whose files have dummy contents. */
async function serveWithModel(): Promise<TestServer> {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-evidence-'));
  const model = join(folder, 'models', 'birdnet-v2.4');
  await mkdir(model, { recursive: true });
  const read = async (name: string) => JSON.parse(await readFile(join(described, name), 'utf8'));
  const template = await read('manifest.json');
  const hashed = (part: { weights: object }) => ({
    ...part,
    sha256: 'a'.repeat(64),
    weights: { ...part.weights, sha256: 'b'.repeat(64) },
  });
  const manifest = {
    ...template,
    audio: hashed(template.audio),
    webAudio: hashed(template.webAudio),
    occurrence: hashed(template.occurrence),
    calibration: await read('calibration.json'),
    files: {},
  };
  await writeFile(join(model, 'manifest.json'), JSON.stringify(manifest));
  for (const { file, weights } of [template.audio, template.webAudio, template.occurrence]) {
    await writeFile(join(model, file), '');
    await writeFile(join(model, weights.file), '');
  }
  await writeFile(join(model, template.labels.file), '');
  for (const name of [
    template.evidenceFile,
    template.labels.nonBirdsFile,
    template.labels.aliasesFile,
    'names',
    'LICENSE',
    'NOTICE',
  ])
    await cp(join(described, name), join(model, name), { recursive: true });
  server = await createTestServer({ dataDir: folder });
  return server;
}

it('The test results of the installed model can be read without an account, and equal those in the repository', async () => {
  const { app } = await serveWithModel();
  const response = await app.inject(route);
  expect(response.statusCode).toBe(200);
  expect(response.headers['cache-control']).toBe('public, max-age=3600');
  const written = JSON.parse(await readFile(join(described, 'confidence-evidence.json'), 'utf8'));
  expect(response.json()).toEqual(written);
  expect(confidenceEvidenceSchema.parse(response.json()).model.id).toBe('birdnet-v2.4');
});

it('The test results of the installed model are answered 304 to a client that has them', async () => {
  const { app } = await serveWithModel();
  const { etag = '' } = (await app.inject(route)).headers;
  const again = await app.inject({ url: route, headers: { 'if-none-match': etag } });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
});

it('The test results of a model are answered 404 for another model, an encoded path, or if no model is installed', async () => {
  const { app } = await serveWithModel();
  for (const id of ['perch-v2', '..%2F..%2Fmodels%2Fbirdnet-v2.4', '%2e%2e']) {
    const response = await app.inject(`/v1/models/${id}/evidence`);
    expect(response.statusCode, id).toBe(404);
  }
  await server?.close();
  server = await createTestServer();
  expect((await server.app.inject(route)).statusCode).toBe(404);
});
