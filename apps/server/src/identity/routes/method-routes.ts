import { createHash } from 'node:crypto';
import { identityErrorBodySchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';

/** Google's two hosts, which the SDK puts in front of the path when it uses another server. */
export const IDENTITY_PREFIX = '/identitytoolkit.googleapis.com';
export const TOKEN_PREFIX = '/securetoken.googleapis.com';

/** These bodies have a few fields; the longest is a picture's URL. */
const MAX_BODY_BYTES = 64 * 1024;

const keyQuerySchema = z.object({ key: z.string().optional().describe('API key of the project') });

/** Where methods are registered. */
export type MethodScope = Parameters<FastifyPluginAsyncZod>[0];

/**
 * Registers methods under their plain paths and under `host`. Colons in paths are doubled: fastify takes a single one for a parameter.
 *
 * @param register adds the routes of the methods, with a summary and the schemas of request and response
 */
export async function serveMethods(app: FastifyInstance, host: string, register: (methods: MethodScope) => void): Promise<void> {
  for (const prefix of ['', host]) {
    const serve: FastifyPluginAsyncZod = async (scope) => {
      scope.addHook('onRoute', (route) => {
        const response = { ...Object(route.schema?.response), '4xx': identityErrorBodySchema };
        const description = `Also available with \`${host}\` in front, where the Firebase SDK expects it.`;
        const common = { description, hide: prefix !== '', querystring: keyQuerySchema };
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

/** The project's number, which Google's responses contain besides its name. Ours has twelve digits derived from the name. */
export function projectNumberOf(projectId: string): string {
  const bits = createHash('sha256').update(projectId).digest().readUIntBE(0, 6);
  return String(100_000_000_000 + (bits % 900_000_000_000));
}
