import { speciesPictureSchema, speciesSongSchema } from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../../http/access.ts';
import { clientDisconnected } from '../../http/client-connection.ts';
import { existing, HttpProblem } from '../../http/http-problem.ts';
import { visitorOf } from '../../http/limits/fair-limiter.ts';
import { sendSound } from '../../prediction/audio/audio-routes.ts';
import { LABEL_LANGUAGE } from '../../prediction/language.ts';
import type { ModelLoader } from '../../prediction/model-loader.ts';
import { showsPictures } from '../../settings/operator-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ByteRange } from '../../storage/object-storage.ts';
import type { SpeciesFiles } from './species-pictures.ts';

export interface PictureRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly settings: Pick<Settings, 'current'>;
  readonly pictures: SpeciesFiles;
  readonly songs: SpeciesFiles;
}

const paramsSchema = z.object({ scientificName: z.string().max(100) });
const FETCHED =
  'Fetched from Wikimedia Commons when it is asked for first, and kept. 404 where there is none or the operator wants none; 503 `SERVER_BUSY` while it is being fetched.';

/** Pictures and songs of birds that the model knows, if the operator wants them. Public. */
export const pictureRoutes: FastifyPluginAsyncZod<PictureRoutesOptions> = async (app, options) => {
  const { modelLoader, settings, pictures, songs } = options;

  function serve(
    kind: string,
    file: string,
    schema: z.ZodObject,
    files: SpeciesFiles,
    [summary, ofFile]: readonly [string, string],
  ) {
    /**
     * Finds the bird's file by the model's own name, so that no text from the request is passed on.
     *
     * @throws HttpProblem NOT_FOUND, SERVER_BUSY
     */
    async function find(request: FastifyRequest<{ Params: z.infer<typeof paramsSchema> }>, reply: FastifyReply) {
      const profile = showsPictures(settings.current())
        ? await (await modelLoader.get()).speciesProfile(request.params.scientificName, LABEL_LANGUAGE)
        : null;
      const credits = profile && (await files.find(profile.scientificName, visitorOf(request)));
      if (profile === null || credits === null) throw new HttpProblem('NOT_FOUND', {});
      reply.header('cache-control', 'public, max-age=86400');
      return { scientificName: profile.scientificName, credits };
    }
    const url = `/v1/species/:scientificName/${kind}`;
    app.get(
      url,
      routeFor('public', { summary, description: FETCHED, params: paramsSchema, response: { 200: schema } }),
      async (request, reply) => {
        const { scientificName, credits } = await find(request, reply);
        return { path: `/v1/species/${encodeURIComponent(scientificName)}/${kind}/${file}`, ...credits };
      },
    );
    app.get(
      `${url}/${file}`,
      routeFor('public', { summary: ofFile, description: 'Supports `Range`.', params: paramsSchema }),
      async (request, reply) => {
        const { scientificName, credits } = await find(request, reply);
        const signal = clientDisconnected(reply);
        const read = async (range: ByteRange) => existing(await files.read(scientificName, range, signal));
        return sendSound(request, reply, { bytes: credits.bytes, mediaType: credits.type, read });
      },
    );
  }

  serve('picture', 'image', speciesPictureSchema, pictures, [
    'A freely licensed picture of a bird, with its author and licence',
    'The image of that picture: JPEG, PNG or WebP',
  ]);
  serve('song', 'sound', speciesSongSchema, songs, [
    'A freely licensed song of a bird of at most a minute, with its author and licence',
    'The sound of that song, converted to WAV',
  ]);
};
