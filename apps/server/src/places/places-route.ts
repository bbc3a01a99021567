import { placesSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { PlaceIndex } from './place-index.ts';

const ATTRIBUTION = 'GeoNames (geonames.org), CC BY 4.0';
const MAX_QUERY_CHARACTERS = 100;

const querySchema = z.object({ q: z.string().trim().min(1, 'is needed').max(MAX_QUERY_CHARACTERS, 'is too long') });

/** `GET /v1/places?q=`: names of places → coordinates, from data that the server carries; no other site learns what was asked. */
export async function placesRoute(scope: FastifyInstance, { places }: { places: PlaceIndex }): Promise<void> {
  scope.withTypeProvider<ZodTypeProvider>().get(
    '/v1/places',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Finds places by the beginning of their name',
        querystring: querySchema,
        response: { 200: placesSchema },
      },
    },
    async ({ query }, reply) => {
      reply.header('cache-control', 'private, max-age=3600');
      return { places: [...(await places.search(query.q))], attribution: ATTRIBUTION };
    },
  );
}
