import type { TokenScope } from '@chiffchaff/contract';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerError } from '../http/error-handler.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { createAuthentication, IdentityUnavailable } from './authentication.ts';
import { IdentityError } from './identity-error.ts';
import type { Principal } from './principal.ts';

const ada: Principal = {
  accountId: 'ada',
  email: null,
  emailVerified: false,
  displayName: null,
  authTimeSeconds: 0,
  sessionId: null,
};

async function verifyApiToken(secret: string, needed: readonly TokenScope[]): Promise<Principal> {
  if (secret !== 'cct_good') throw new HttpProblem('API_TOKEN_INVALID', {});
  if (!needed.includes('read')) throw new HttpProblem('API_TOKEN_NOT_ALLOWED', { needed });
  return { ...ada, tokenId: 'one' };
}

let app: FastifyInstance;
beforeEach(() => {
  const { authenticate, identify, principalOf, requirePrincipal } = createAuthentication(async (idToken) => {
    if (idToken === 'ada') return ada;
    if (idToken === 'outage') throw new IdentityUnavailable('down');
    if (idToken === 'bug') throw new Error('a mistake of ours');
    throw new IdentityError('USER_DISABLED');
  }, verifyApiToken);
  app = fastify();
  app.setErrorHandler(answerError);
  app.get('/guarded', { onRequest: authenticate }, async (request) => requirePrincipal(request).accountId);
  app.get('/open', async (request) => {
    expect(principalOf(request)).toBeNull();
    const principal = await identify(request);
    expect(principalOf(request)).toBe(principal);
    return principal?.accountId ?? 'nobody';
  });
  const tokenScopes = ['read', 'predict'] as const;
  app.get('/readable', { onRequest: authenticate, config: { tokenScopes } }, async (request) => {
    const { accountId, tokenId, authTimeSeconds } = requirePrincipal(request);
    return `${accountId} ${tokenId} ${authTimeSeconds}`;
  });
  app.get('/forgotten-guard', async (request) => requirePrincipal(request).accountId);
});
afterEach(() => app.close());

async function ask(url: string, authorization?: string): Promise<unknown> {
  const { statusCode, body, json } = await app.inject({ url, headers: authorization === undefined ? {} : { authorization } });
  return statusCode === 200 ? body : [statusCode, json().code];
}

it.each([
  ['/guarded', 'Bearer ada', 'ada'],
  ['/guarded', 'bearer  ada', 'ada'],
  ['/guarded', undefined, [401, 'SIGN_IN_REQUIRED']],
  ['/guarded', 'Basic ada', [401, 'SIGN_IN_REQUIRED']],
  ['/guarded', 'Bearer ', [401, 'SIGN_IN_REQUIRED']],
  ['/guarded', 'Bearer ada ada', [401, 'SIGN_IN_REQUIRED']],
  ['/guarded', 'Bearer somebody', [401, 'SESSION_EXPIRED']],
  ['/guarded', 'Bearer outage', [503, 'IDENTITY_UNAVAILABLE']],
  ['/guarded', 'Bearer bug', [500, 'INTERNAL']],
  ['/open', undefined, 'nobody'],
  ['/open', 'Bearer ada', 'ada'],
  ['/open', 'Bearer somebody', [401, 'SESSION_EXPIRED']],
  ['/readable', 'Bearer cct_good', 'ada one 0'],
  ['/readable', 'Bearer cct_bad', [401, 'API_TOKEN_INVALID']],
  ['/readable', 'Bearer CCT_good', [401, 'SESSION_EXPIRED']],
  ['/guarded', 'Bearer cct_good', [403, 'API_TOKEN_NOT_ALLOWED']],
  ['/guarded', 'Bearer cct_bad', [401, 'API_TOKEN_INVALID']],
  ['/open', 'Bearer cct_good', [403, 'API_TOKEN_NOT_ALLOWED']],
  ['/forgotten-guard', 'Bearer ada', [401, 'SIGN_IN_REQUIRED']],
])('Authentication at the route %s with the Authorization header %j gives %j', async (url, authorization, expected) => {
  expect(await ask(url, authorization)).toEqual(expected);
});
