import { type SpeciesPicture, speciesPictureSchema } from '@chiffchaff/contract';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { clientDisconnected } from '../../http/client-connection.ts';
import { existing, HttpProblem } from '../../http/http-problem.ts';
import { visitorOf } from '../../http/limits/fair-limiter.ts';
import { LABEL_LANGUAGE } from '../../prediction/language.ts';
import type { ModelLoader } from '../../prediction/model-loader.ts';
import { showsPictures } from '../../settings/operator-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import type { SpeciesPictures } from './species-pictures.ts';

export interface PictureRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly settings: Pick<Settings, 'current'>;
  readonly pictures: Pick<SpeciesPictures, 'find' | 'read'>;
}

const PICTURE = '/v1/species/:scientificName/picture';
const paramsSchema = z.object({ scientificName: z.string().max(100) });

/** Pictures of birds that the model knows, if the operator wants them. Public. */
export const pictureRoutes: FastifyPluginAsyncZod<PictureRoutesOptions> = async (app, { modelLoader, settings, pictures }) => {
  /**
   * Finds the bird's picture by the model's own name, so that no text from the request is passed on.
   *
   * @throws HttpProblem NOT_FOUND, SERVER_BUSY
   */
  async function find(request: FastifyRequest<{ Params: z.infer<typeof paramsSchema> }>) {
    const profile = showsPictures(settings.current())
      ? await (await modelLoader.get()).speciesProfile(request.params.scientificName, LABEL_LANGUAGE)
      : null;
    const picture = profile && (await pictures.find(profile.scientificName, visitorOf(request)));
    if (profile === null || picture === null) throw new HttpProblem('NOT_FOUND', {});
    return { scientificName: profile.scientificName, picture };
  }

  app.get(
    PICTURE,
    {
      config: { access: 'public' },
      schema: {
        summary: 'A freely licensed picture of a bird, with its author and licence',
        description:
          'Fetched from Wikimedia Commons when it is asked for first, and kept. 404 where there is none or the operator wants none; 503 `SERVER_BUSY` while it is being fetched.',
        params: paramsSchema,
        response: { 200: speciesPictureSchema },
      },
    },
    async (request, reply) => {
      const { scientificName, picture } = await find(request);
      const { type: _type, bytes: _bytes, ...credits } = picture;
      reply.header('cache-control', 'public, max-age=86400');
      return { path: `/v1/species/${encodeURIComponent(scientificName)}/picture/image`, ...credits } satisfies SpeciesPicture;
    },
  );

  app.get(
    `${PICTURE}/image`,
    {
      config: { access: 'public' },
      schema: { summary: 'The image of that picture: JPEG, PNG or WebP', params: paramsSchema },
    },
    async (request, reply) => {
      const { scientificName, picture } = await find(request);
      const image = existing(await pictures.read(scientificName, clientDisconnected(reply)));
      reply.header('cache-control', 'public, max-age=86400').header('content-length', picture.bytes);
      return reply.type(picture.type).send(image);
    },
  );
};
