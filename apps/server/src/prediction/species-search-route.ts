import { type FoundSpecies, foundSpeciesSchema, speciesSearchQuerySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { foldName } from '../places/fold-name.ts';
import { checkLanguage, LABEL_LANGUAGE } from './language.ts';
import type { ModelLoader } from './model-loader.ts';

/** Enough for every bird whose name ends in *Wren* or *Robin*. */
const MOST_FOUND = 100;

interface Searchable extends FoundSpecies {
  /** folded, with a space before each word */
  readonly name: string;
  readonly scientific: string;
}

/** Keyed by a model's map of names, which stays the same object. */
const searchables = new WeakMap<ReadonlyMap<string, string>, readonly Searchable[]>();

/** `GET /v1/species/search`: birds that the model knows, by name. */
export const speciesSearchRoute: FastifyPluginAsyncZod<{ readonly modelLoader: ModelLoader }> = async (app, { modelLoader }) => {
  app.get(
    '/v1/species/search',
    {
      config: { access: 'signedIn' },
      schema: {
        summary: 'Find birds the model knows by the beginnings of words in their names',
        querystring: speciesSearchQuerySchema,
        response: { 200: foundSpeciesSchema },
      },
    },
    async ({ query }, reply) => {
      const analyzer = await modelLoader.get();
      const { q, language = LABEL_LANGUAGE, latitude, longitude, timeZone } = query;
      checkLanguage(language, analyzer.languages);
      const expected =
        latitude !== undefined && longitude !== undefined
          ? await analyzer.expectedSpecies({ latitude, longitude })
          : timeZone !== undefined
            ? await analyzer.expectedSpecies({ timeZone })
            : [];
      reply.header('cache-control', 'private, max-age=3600');
      return { species: searchSpecies(q, await analyzer.namesIn(language), expected) };
    },
  );
};

/**
 * @param expected species that are not rare where the bird was heard
 * @returns species that have each word in the common or scientific name: first exact matches, then expected species, then others. Among
 *   each, common names that end in the search as whole words (*Eurasian Wren*) come before names that begin with it (*Wrenthrush*)
 */
export function searchSpecies(
  asked: string,
  names: ReadonlyMap<string, string>,
  expected: readonly { readonly scientificName: string; readonly occurrence: number }[],
): FoundSpecies[] {
  const searchable = searchables.get(names) ?? [...names].map(toSearchable);
  searchables.set(names, searchable);
  const words = foldName(asked).split(' ').filter(Boolean);
  if (words.length === 0) return [];
  const beginning = ` ${words.join(' ')}`;
  const rank = ({ name, scientific }: Searchable): number => {
    if (name === beginning || scientific === beginning) return 0;
    if (name.endsWith(beginning)) return 1;
    return name.startsWith(beginning) || scientific.startsWith(beginning) ? 2 : 3;
  };
  const occurrences = new Map(expected.map(({ scientificName, occurrence }) => [scientificName, occurrence]));
  const occurrenceOf = ({ scientificName }: Searchable): number => occurrences.get(scientificName) ?? 0;
  const isBefore = (one: Searchable, other: Searchable): number =>
    Number(rank(other) === 0) - Number(rank(one) === 0) ||
    Number(occurrences.has(other.scientificName)) - Number(occurrences.has(one.scientificName)) ||
    rank(one) - rank(other) ||
    occurrenceOf(other) - occurrenceOf(one) ||
    one.commonName.localeCompare(other.commonName);
  return searchable
    .filter(({ name, scientific }) => words.every((word) => `${name}${scientific}`.includes(` ${word}`)))
    .sort(isBefore)
    .slice(0, MOST_FOUND)
    .map(({ scientificName, commonName }) => ({ scientificName, commonName }));
}

const toSearchable = ([scientificName, commonName]: readonly [string, string]): Searchable => ({
  scientificName,
  commonName,
  name: ` ${foldName(commonName)}`,
  scientific: ` ${foldName(scientificName)}`,
});
