import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { routeFor } from '../../http/access.ts';
import { KEYS_MAX_AGE_SECONDS, type SigningKeys } from '../tokens/signing-keys.ts';

const jwkSchema = z.object({
  kty: z.string(),
  n: z.string(),
  e: z.string(),
  alg: z.literal('RS256'),
  use: z.literal('sig'),
  kid: z.string(),
});
const certificatesSchema = z.record(z.string(), z.string());

const CERTIFICATES_PATH = '/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com';
export const JWKS_PATH = '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com';

/** The public keys that verify ID tokens, at Google's paths and in both of Google's formats. */
export function servePublicKeys(app: FastifyInstance, keys: SigningKeys): void {
  // Without it, clients fetch the keys again for every token.
  const letKeep = (reply: FastifyReply) =>
    reply.header('cache-control', `public, max-age=${KEYS_MAX_AGE_SECONDS}, must-revalidate, no-transform`);

  app.get(
    CERTIFICATES_PATH,
    routeFor('public', { summary: 'Get the public keys as certificates, by key id', response: { 200: certificatesSchema } }),
    async (_request, reply) => {
      letKeep(reply);
      return Object.fromEntries(keys.published().map(({ kid, certificate }) => [kid, certificate]));
    },
  );
  app.get(
    JWKS_PATH,
    routeFor('public', {
      summary: 'Get the public keys as a JSON Web Key Set',
      response: { 200: z.object({ keys: z.array(jwkSchema) }) },
    }),
    async (_request, reply) => {
      letKeep(reply);
      return {
        keys: keys
          .published()
          .map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid })),
      };
    },
  );
}
