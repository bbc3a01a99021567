import { tmpdir } from 'node:os';
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterEach, expect, it } from 'vitest';
import { answerError } from '../http/error-handler.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';
import { StorageError } from '../storage/storage-error.ts';
import { type HealthRoutesOptions, healthRoutes, type ReachableStorage } from './health-routes.ts';

let app: FastifyInstance;
afterEach(() => app.close());

async function askReadiness(bytesOf: ReachableStorage['bytesOf'], options: Partial<HealthRoutesOptions> = {}) {
  app = fastify();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  const modelLoader = { missing: [], get: async () => ({}) } as unknown as ModelLoader;
  await app.register(healthRoutes, {
    modelLoader,
    dataDir: tmpdir(),
    minFreeDiskBytes: 0,
    database: { findFault: async () => null },
    storage: { bytesOf },
    ...options,
  });
  return app.inject({ url: '/readyz' });
}

it.each<[string, ReachableStorage['bytesOf']]>([
  ['cannot be used', () => Promise.reject(new StorageError('AWAY', 'no answer'))],
  ['does not answer', () => new Promise(() => {})],
])('GET /readyz is answered 503 if the storage of recordings %s', async (_what, bytesOf) => {
  const response = await askReadiness(bytesOf);
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ detail: expect.stringContaining('the storage cannot be reached') });
});

it('GET /readyz is answered 200 if the storage answers', async () => {
  const response = await askReadiness(async () => null);
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ status: 'ready', accepts: true, refusals: [] });
});

it('GET /readyz is answered 200 on a disk that is nearly full, but says that recordings are refused', async () => {
  const response = await askReadiness(async () => null, { minFreeDiskBytes: 2 ** 60 });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ status: 'ready', accepts: false, refusals: ['the disk is nearly full'] });
});

it('GET /readyz is answered 503 and says that the disk is full if almost no space is left', async () => {
  const response = await askReadiness(async () => null, { freeBytes: async () => 278_000 });
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ detail: 'This server cannot analyse recordings: the disk is full.' });
});
