import { placesSchema, positionQuerySchema, regionOfPlaceSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../http/access.ts';
import type { PlaceIndex } from './place-index.ts';

const ATTRIBUTION = 'GeoNames (geonames.org), CC BY 4.0';
const MAX_QUERY_CHARACTERS = 100;

const querySchema = z.object({ q: z.string().trim().min(1, 'is needed').max(MAX_QUERY_CHARACTERS, 'is too long') });

/**
 * `GET /v1/places?q=`: coordinates by name, and `GET /v1/places/region`: country by coordinates. The data is local, so no other site learns
 * what was asked.
 */
export const placesRoutes: FastifyPluginAsyncZod<{ places: PlaceIndex }> = async (app, { places }) => {
  app.get(
    '/v1/places',
    routeFor('public', {
      summary: 'Find places by the beginning of their name',
      querystring: querySchema,
      response: { 200: placesSchema },
    }),
    async ({ query }, reply) => {
      reply.header('cache-control', 'private, max-age=3600');
      return { places: [...(await places.search(query.q))], attribution: ATTRIBUTION };
    },
  );

  app.get(
    '/v1/places/region',
    routeFor('public', {
      summary: 'The country that a place is in',
      description:
        'An ISO 3166-1 code by the nearest towns (GeoNames, CC BY 4.0). Near a border, the UN M49 area that the countries have in common; null at sea and far from any town.',
      querystring: positionQuerySchema,
      response: { 200: regionOfPlaceSchema },
    }),
    async ({ query }, reply) => {
      reply.header('cache-control', 'private, max-age=3600');
      const { latitude = 0, longitude = 0 } = query;
      return { region: await places.regionAt(latitude, longitude) };
    },
  );
};
