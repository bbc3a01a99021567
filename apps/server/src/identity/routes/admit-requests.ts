/** What is checked of an identity request before its route, and what pages of other origins may do; `identity-routes.ts` registers it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countTry, type Limiter } from '../../http/limits/limiters.ts';
import { networkOf } from '../../http/limits/network-of.ts';
import { IdentityError } from '../identity-error.ts';
import { isSameSecret } from '../secret-token.ts';
import { RequestRefusal, refusals } from './error-envelope.ts';

/**
 * Requires an API key in the query (`?key=`) or in `x-goog-api-key`. It names the project and protects nothing.
 *
 * @param expected null accepts any non-empty key
 */
export function requireApiKey(expected: string | null): (request: FastifyRequest) => Promise<void> {
  return async ({ query, headers }) => {
    const inAddress = typeof query === 'object' && query !== null && 'key' in query ? query.key : undefined;
    const key = inAddress ?? headers['x-goog-api-key'];
    if (typeof key !== 'string' || key === '') throw new RequestRefusal(refusals.apiKeyMissing);
    if (expected !== null && !isSameSecret(key, expected)) throw new RequestRefusal(refusals.apiKeyInvalid);
  };
}

/**
 * Requires the operators' secret. After too many wrong ones from a network, further wrong ones are rate-limited; the right one is always
 * accepted, because the operator may share the network with an attacker.
 */
export function requireAdminSecret(expected: string, wrongSecrets: Limiter): (request: FastifyRequest) => Promise<void> {
  return async ({ headers, ip }) => {
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new RequestRefusal(refusals.badBearer);
    if (isSameSecret(given, expected)) return;
    if ((await countTry(wrongSecrets, networkOf(ip))) !== null) {
      throw new IdentityError('TOO_MANY_ATTEMPTS_TRY_LATER', 'Too many wrong secrets. Wait a moment and try again.');
    }
    throw new RequestRefusal(refusals.badBearer);
  };
}

const PREFLIGHT_SECONDS = 3600;
const HEADERS_WITHOUT_PREFLIGHT =
  'content-type,authorization,x-client-version,x-firebase-client,x-firebase-gmpid,x-firebase-locale,x-firebase-appcheck,x-goog-api-key';

/**
 * Lets pages of every origin read the responses, errors included: identity calls carry their credentials in the body and use no cookies, so
 * an origin proves nothing. Runs before anything can fail.
 */
export async function allowEveryOrigin(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('access-control-allow-origin', '*').header('vary', 'Origin');
  reply.header('cross-origin-resource-policy', 'cross-origin');
}

/** Answers a preflight, which carries neither key nor body to check. */
async function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, allowedOrigins: readonly string[]) {
  const asked = headers['access-control-request-headers'];
  // Echoed only if it is a list of header names.
  const allowed = asked !== undefined && /^[\w\s,-]{1,1000}$/.test(asked) ? asked : HEADERS_WITHOUT_PREFLIGHT;
  reply
    .header('access-control-allow-methods', 'GET, POST, OPTIONS')
    .header('access-control-allow-headers', allowed)
    .header('access-control-max-age', String(PREFLIGHT_SECONDS));
  // A page on the internet may reach a server in its visitor's home network only if the operator named its origin: any other page
  // could find such servers through its visitors' browsers.
  if (headers['access-control-request-private-network'] === 'true' && allowedOrigins.includes(headers.origin ?? '')) {
    reply.header('access-control-allow-private-network', 'true');
  }
  return reply.code(204).send();
}

/** @param allowedOrigins origins whose pages may reach this server in a private network from outside it */
export function servePreflights(app: FastifyInstance, urls: Iterable<string>, allowedOrigins: readonly string[]): void {
  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  for (const url of urls) app.options(url, options, (request, reply) => answerPreflight(request, reply, allowedOrigins));
}
