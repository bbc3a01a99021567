import type { FastifyRequest } from 'fastify';
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
