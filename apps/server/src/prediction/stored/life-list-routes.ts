import {
  confirmedBirdsSchema,
  importedBirdsSchema,
  lifeListImportedSchema,
  lifeListQuerySchema,
  lifeListSchema,
  type Sighting,
} from '@chiffchaff/contract';
import { readChangedNames } from '@chiffchaff/models';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor, routeToRead } from '../../http/access.ts';
import { type NamesPlaces, namePlaces } from '../../places/name-places.ts';
import { LABEL_LANGUAGE, namesIn } from '../language.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { renamed } from './stored-routes.ts';

/** 25,000 birds with long names. */
const MAX_BODY_BYTES = 4 * 1024 ** 2;

/** `/v1/life-list`: the birds that an account has found. */
export const lifeListRoutes: FastifyPluginAsyncZod<OwnersRoutesOptions & NamesPlaces> = async (app, options) => {
  const { modelLoader, requesters } = options;
  const { lifeList } = options.predictions;
  const changedNames = await readChangedNames();
  const modelNames = new Map([...changedNames].flatMap(([name, today]) => today.map((other) => [other, name])));

  app.get(
    '/v1/life-list',
    routeToRead({
      summary: 'List the birds you have confirmed or imported, and those still to confirm',
      querystring: lifeListQuerySchema,
      response: { 200: lifeListSchema },
    }),
    async (request) => {
      const accountId = requesters.require(request);
      const names = await namesIn(modelLoader, request.query.language);
      const list = await lifeList.read(accountId, request.query.year);
      const sightings = list.species.flatMap(({ first, firstThisYear }) => [first, firstThisYear ?? first]);
      const places = sightings.map(({ place }) => place);
      const named = await namePlaces(options, places, app.log);
      const inTown = (sighting: Sighting): Sighting => ({ ...sighting, place: named(sighting.place) });
      return {
        ...list,
        species: renamed(list.species, names).map(({ first, firstThisYear, ...bird }) => ({
          ...{ ...bird, first: inTown(first) },
          firstThisYear: firstThisYear && inTown(firstThisYear),
        })),
      };
    },
  );

  app.get(
    '/v1/life-list/confirmed',
    routeFor('signedIn', {
      summary: 'List the birds confirmed in recordings with a day and place, recording by recording',
      response: { 200: confirmedBirdsSchema },
    }),
    async (request) => {
      const { birds, leftOut } = await lifeList.confirmed(requesters.require(request));
      return { birds: birds.map((bird) => ({ ...bird, ebirdNames: changedNames.get(bird.scientificName) })), leftOut };
    },
  );

  app.put(
    '/v1/life-list/imported',
    {
      ...routeFor('signedIn', {
        summary: 'Import birds into the life list',
        description:
          'Replaces what was imported before; an empty list removes it. Names of other lists become those of the model. Birds that the model does not know are left out and named in the response.',
        body: importedBirdsSchema,
        response: { 200: lifeListImportedSchema },
      }),
      bodyLimit: MAX_BODY_BYTES,
    },
    async (request) => {
      const accountId = requesters.require(request);
      const analyzer = await modelLoader.get();
      const names = await analyzer.namesIn(LABEL_LANGUAGE);
      const meant = new Map<string, string>();
      for (const name of new Set(request.body.birds.map((bird) => bird.scientificName))) {
        const today = names.has(name) ? name : (await analyzer.speciesProfile(name, LABEL_LANGUAGE))?.scientificName;
        meant.set(name, today ?? modelNames.get(name) ?? '');
      }
      const known = new Map(
        request.body.birds.flatMap((bird) => {
          const scientificName = meant.get(bird.scientificName) ?? '';
          const commonName = names.get(scientificName);
          return commonName === undefined
            ? []
            : [[`${scientificName} ${bird.on}`, { ...bird, scientificName, commonName }] as const];
        }),
      );
      const birds = [...known.values()];
      await lifeList.replaceImported(accountId, birds);
      return {
        imported: new Set(birds.map(({ scientificName }) => scientificName)).size,
        unknown: [...meant].flatMap(([name, to]) => (names.has(to) ? [] : [name])),
      };
    },
  );
};
