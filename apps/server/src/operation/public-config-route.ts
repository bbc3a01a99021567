import { ACCEPTED_FORMATS, type PublicConfig, publicConfigSchema } from '@chiffchaff/contract';
import { defaultDecodeLimits } from '@chiffchaff/listening';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Config } from '../config.ts';
import type { ListenerSource } from '../prediction/listener-source.ts';

export interface PublicConfigRouteOptions {
  readonly config: Config;
  readonly version: string;
  readonly listeners: ListenerSource;
  readonly identity: PublicConfig['identity'];
}

/** `GET /config.json`: what the page must know of this deployment before it asks for anything else. */
export async function publicConfigRoute(
  scope: FastifyInstance,
  { config, version, listeners, identity }: PublicConfigRouteOptions,
): Promise<void> {
  scope.withTypeProvider<ZodTypeProvider>().get(
    '/config.json',
    {
      config: { access: 'public' },
      schema: { summary: 'Configuration of the page', response: { 200: publicConfigSchema } },
    },
    async (_request, reply): Promise<PublicConfig> => {
      reply.header('cache-control', 'no-cache');
      // A page asks this first; it is not kept waiting while a model loads, nor refused when there is none.
      const listener = listeners.loaded;
      return {
        apiOrigin: config.apiOrigin ?? '',
        openPrediction: config.openPrediction,
        identity,
        limits: {
          maxUploadBytes: config.maxUploadBytes,
          maxRecordingSeconds: config.maxRecordingSeconds,
          minRecordingSeconds: defaultDecodeLimits.minSeconds,
        },
        acceptedFormats: [...ACCEPTED_FORMATS],
        retentionDays: config.retentionDays,
        terms: config.terms,
        version,
        languages: [...(listener?.languages ?? [])],
        model: listener ? { ...listener.model } : null,
      };
    },
  );
}
