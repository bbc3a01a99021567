import { defaultDecodeLimits } from '@chiffchaff/analysis';
import { programVersion } from '@chiffchaff/analysis/program-version';
import { acceptedFormats, type PublicConfig, publicConfigSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { routeFor } from '../http/access.ts';
import { makeFixedAnswer, type StaticResponse, sendFixedAnswer } from '../http/static-response.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';
import { type CurrentSettings, showsPictures } from '../settings/operator-settings.ts';
import type { Settings } from '../settings/settings.ts';

/** `GET /config.json`: what the page must know about this deployment before any other request. */
export const publicConfigRoute: FastifyPluginAsyncZod<{
  readonly config: Config;
  readonly settings: Pick<Settings, 'current'>;
  readonly modelLoader: ModelLoader;
  readonly identity: PublicConfig['identity'];
}> = async (app, { config, settings, modelLoader, identity }) => {
  let made:
    | { readonly analyzer: ModelLoader['loaded']; readonly set: CurrentSettings; readonly answer: Promise<StaticResponse> }
    | undefined;

  function write(analyzer: ModelLoader['loaded'], set: CurrentSettings): Promise<StaticResponse> {
    const known: PublicConfig = {
      apiOrigin: config.apiOrigin ?? '',
      openPrediction: config.openPrediction,
      identity,
      limits: {
        maxUploadBytes: config.maxUploadBytes,
        maxRecordingSeconds: config.maxRecordingSeconds,
        minRecordingSeconds: defaultDecodeLimits.minSeconds,
      },
      acceptedFormats: [...acceptedFormats],
      defaultPlace: set.defaultPlace,
      retentionDays: config.retentionDays,
      terms: set.terms,
      termsFingerprint: set.termsFingerprint,
      defaultLanguage: set.defaultLanguage,
      speciesPictures: showsPictures(set),
      ...programVersion,
      languages: [...(analyzer?.languages ?? [])],
      model: analyzer ? { ...analyzer.model, words: analyzer.words } : null,
    };
    return makeFixedAnswer('application/json; charset=utf-8', JSON.stringify(publicConfigSchema.parse(known)));
  }

  app.get(
    '/config.json',
    routeFor('public', {
      summary: 'Get the configuration of the page',
      response: { 200: publicConfigSchema, 304: z.undefined() },
    }),
    async (request, reply) => {
      // The page requests this first: it must neither wait while a model loads nor fail without one.
      const analyzer = modelLoader.loaded;
      const set = settings.current();
      if (made?.analyzer !== analyzer || made.set !== set) made = { analyzer, set, answer: write(analyzer, set) };
      return sendFixedAnswer(request, reply, await made.answer);
    },
  );
};
