import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { WrongSecrets } from '../../http/limits/wrong-secrets.ts';
import { IdentityError } from '../identity-error.ts';
import { hashSecret } from '../secret-token.ts';
import { RequestRefusal, refusals } from './error-envelope.ts';

/**
 * Asks every call for an API key, in the address (`?key=`) or in `x-goog-api-key`. It names the project and guards nothing.
 *
 * @param expected null accepts any key that is not empty
 */
export function requireApiKey(expected: string | null): (request: FastifyRequest) => Promise<void> {
  return async ({ query, headers }) => {
    const inAddress = typeof query === 'object' && query !== null && 'key' in query ? query.key : undefined;
    const key = inAddress ?? headers['x-goog-api-key'];
    if (typeof key !== 'string' || key === '') throw new RequestRefusal(refusals.apiKeyMissing);
    if (expected !== null && !isSame(key, expected)) throw new RequestRefusal(refusals.apiKeyInvalid);
  };
}

/**
 * Asks the operators' calls for their secret. Where too many wrong ones came from, the answer to another one is to wait; the right one is
 * accepted all the same, because the operator may share that address with whoever guesses.
 */
export function requireAdminSecret(expected: string, wrongSecrets: WrongSecrets): (request: FastifyRequest) => Promise<void> {
  return async ({ headers, ip }) => {
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new RequestRefusal(refusals.badBearer);
    if (isSame(given, expected)) return;
    if ((await wrongSecrets.waitSeconds(ip)) !== null) {
      throw new IdentityError('TOO_MANY_ATTEMPTS_TRY_LATER', 'Too many wrong secrets. Wait a moment and try again.');
    }
    await wrongSecrets.count(ip);
    throw new RequestRefusal(refusals.badBearer);
  };
}

/** Compared as hashes: in constant time, whatever their lengths. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)));
