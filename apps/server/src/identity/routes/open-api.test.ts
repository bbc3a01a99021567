import swagger from '@fastify/swagger';
import fastify from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { createExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import { createMemoryLimiter } from '../../http/limits/limiters.ts';
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';
import { accountRoutes } from './account-routes.ts';
import { identityRoutes } from './identity-routes.ts';

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.close());

it('The description of the identity API has every path once, with its parameters and responses', async () => {
  const app = fastify();
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Chiffchaff', version: '0' } },
    transform: jsonSchemaTransform,
  });
  const wrongSecrets = createMemoryLimiter('wrongSecrets', readConfig({}).config.wrongSecretPerClient);
  await app.register(identityRoutes, { identity: server.identity, wrongSecrets, allowedOrigins: [] });
  await app.register(accountRoutes, { identity: server.identity, exports: createExportsUnderWay() });
  await app.ready();
  const { paths = {} } = app.swagger();
  expect(Object.keys(paths).sort()).toEqual(
    [
      ...['createAuthUri', 'delete', 'lookup', 'resetPassword', 'sendOobCode', 'signInWithPassword', 'signUp', 'update'].map(
        (name) => `/v1/accounts:${name}`,
      ),
      '/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com',
      '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
      '/v1/account',
      '/v1/account/export',
      '/v1/account/sessions',
      '/v1/account/sessions/{id}',
      '/v1/account/terms',
      '/v1/account/tokens',
      '/v1/account/tokens/{id}',
      '/v1/projects',
      '/v1/token',
      '/v2/passwordPolicy',
      '/v2/recaptchaConfig',
    ].sort(),
  );
  expect(paths['/v1/accounts:signUp']).toMatchObject({
    post: {
      requestBody: {
        content: { 'application/json': { schema: { properties: { email: expect.anything(), password: expect.anything() } } } },
      },
      responses: { 200: { content: { 'application/json': { schema: { properties: { idToken: { type: 'string' } } } } } } },
    },
  });
  await app.close();
});
