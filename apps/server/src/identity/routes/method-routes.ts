import { createHash } from 'node:crypto';
import { identityErrorBodySchema } from '@chiffchaff/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Client } from '../accounts/sign-in.ts';

/** The two hosts of Google's, as the SDK names them in the path when it is pointed at another server. */
export const IDENTITY_PREFIX = '/identitytoolkit.googleapis.com';
export const TOKEN_PREFIX = '/securetoken.googleapis.com';

/** Bodies of these methods are a few fields; the longest is a picture's address. */
const MAX_BODY_BYTES = 64 * 1024;

const keyQuerySchema = z.object({ key: z.string().optional().describe('API key of the project') });

/**
 * Registers methods under their plain paths and under `host`. Colons of a path are doubled: fastify takes a single one for a parameter.
 *
 * @param register adds the routes of the methods, with a summary and the schemas of body and answer
 */
export async function serveMethods(
  app: FastifyInstance,
  host: string,
  tag: string,
  register: (scope: FastifyInstance) => void,
): Promise<void> {
  for (const prefix of ['', host]) {
    const serve = async (scope: FastifyInstance) => {
      scope.addHook('onRoute', (route) => {
        const response = { ...Object(route.schema?.response), '4xx': identityErrorBodySchema };
        const description = `Also available with \`${host}\` in front, where the Firebase SDK expects it.`;
        const common = { tags: [tag], description, hide: prefix !== '', querystring: keyQuerySchema };
        route.schema = { ...common, ...route.schema, response };
        route.config = { ...route.config, access: 'public' };
        route.bodyLimit = MAX_BODY_BYTES;
      });
      scope.addHook('preHandler', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      register(scope);
    };
    await app.register(serve, { prefix });
  }
}

/** The client of a request; a proxy's word about its address counts only where the server trusts the proxy. */
export function clientOf({ ip, headers }: FastifyRequest): Client {
  const locale = headers['x-firebase-locale'];
  return { address: ip, userAgent: headers['user-agent'] ?? null, ...(typeof locale === 'string' ? { locale } : {}) };
}

/** Google's projects have a number besides their name, and answers hold it; ours is derived from the name. Twelve digits. */
export function projectNumberOf(projectId: string): string {
  const bits = createHash('sha256').update(projectId).digest().readUIntBE(0, 6);
  return String(100_000_000_000 + (bits % 900_000_000_000));
}
