import { setImmediate } from 'node:timers/promises';
import { type FoundSpecies, foundSpeciesSchema, speciesSearchQuerySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../http/access.ts';
import { type FairLimiter, forVisitor } from '../http/limits/fair-limiter.ts';
import { foldName } from '../places/fold-name.ts';
import { checkLanguage, LABEL_LANGUAGE } from './language.ts';
import type { LoadedService, ModelLoader } from './model-loader.ts';

/** Enough for every bird whose name ends in *Wren* or *Robin*. */
const MOST_FOUND = 100;

interface Searchable extends FoundSpecies {
  /** folded, with a space before each word */
  readonly name: string;
  readonly scientific: string;
}

/** Keyed by a model's map of names, which stays the same object. */
const searchables = new WeakMap<ReadonlyMap<string, string>, readonly Searchable[]>();
const inAllLanguages = new WeakMap<LoadedService, Promise<ReadonlyMap<string, string>>>();

export interface SpeciesSearchOptions {
  readonly modelLoader: ModelLoader;
  /** of what is worked out for a search */
  readonly occurrenceLimiter: FairLimiter;
}

/** `GET /v1/species/search`: birds that the model knows, by name. */
export const speciesSearchRoute: FastifyPluginAsyncZod<SpeciesSearchOptions> = async (
  app,
  { modelLoader, occurrenceLimiter },
) => {
  app.get(
    '/v1/species/search',
    routeFor('public', {
      summary: 'Find birds the model knows by the beginnings of words in their names, in any language',
      querystring: speciesSearchQuerySchema,
      response: { 200: foundSpeciesSchema },
    }),
    async (request, reply) => {
      const analyzer = await modelLoader.get();
      const { q, language = LABEL_LANGUAGE, latitude, longitude, timeZone } = request.query;
      checkLanguage(language, analyzer.languages);
      const find = async (): Promise<FoundSpecies[]> => {
        const expected =
          latitude !== undefined && longitude !== undefined
            ? await analyzer.expectedSpecies({ latitude, longitude })
            : timeZone !== undefined
              ? await analyzer.expectedSpecies({ timeZone })
              : [];
        const all = inAllLanguages.get(analyzer) ?? readNames(analyzer);
        inAllLanguages.set(analyzer, all);
        all.catch(() => inAllLanguages.delete(analyzer));
        return searchSpecies(q, await analyzer.namesIn(language), expected, await all);
      };
      return forVisitor(request, reply, async (visitor) => {
        const species = await occurrenceLimiter.run(visitor, find);
        reply.header('cache-control', 'private, max-age=3600');
        return { species };
      });
    },
  );
};

/** This many birds are folded at a time, in some 10 ms: other requests do not wait for all of them. */
const FOLDED_AT_ONCE = 200;

/** A bird's names in all languages by its scientific name: folded, one a line, with a space before each word. */
async function readNames(analyzer: LoadedService): Promise<ReadonlyMap<string, string>> {
  const folded = new Map<string, string>();
  for (const [scientificName, names] of await analyzer.speciesNames()) {
    folded.set(
      scientificName,
      `\n${names
        .split('\n')
        .map((name) => ` ${foldName(name)}\n`)
        .join('')}`,
    );
    if (folded.size % FOLDED_AT_ONCE === 0) await setImmediate();
  }
  return folded;
}

/** Ranks of birds that are found only by a name in another language. */
const [EXACT_ELSEWHERE, ELSEWHERE] = [4, 5];

/**
 * @param expected species that are not rare where the bird was heard
 * @param all see `readNames`
 * @returns species that have each word in the common or scientific name: first exact matches, then expected species, then others. Among
 *   each, common names that end in the search as whole words (*Eurasian Wren*) come before names that begin with it (*Wrenthrush*). After
 *   all of them, species with each word in a name in another language
 */
export function searchSpecies(
  asked: string,
  names: ReadonlyMap<string, string>,
  expected: readonly { readonly scientificName: string; readonly occurrence: number }[],
  all: ReadonlyMap<string, string> = new Map(),
): FoundSpecies[] {
  const searchable = searchables.get(names) ?? [...names].map(toSearchable);
  searchables.set(names, searchable);
  const words = foldName(asked).split(' ').filter(Boolean);
  if (words.length === 0) return [];
  const beginning = ` ${words.join(' ')}`;
  const isIn = (text: string): boolean => words.every((word) => text.includes(` ${word}`));
  const rankOf = ({ name, scientific, scientificName }: Searchable): number | null => {
    if (!isIn(`${name}${scientific}`)) {
      const elsewhere = all.get(scientificName) ?? '';
      if (!isIn(elsewhere) || !elsewhere.split('\n').some(isIn)) return null;
      return elsewhere.includes(`\n${beginning}\n`) ? EXACT_ELSEWHERE : ELSEWHERE;
    }
    if (name === beginning || scientific === beginning) return 0;
    if (name.endsWith(beginning)) return 1;
    return name.startsWith(beginning) || scientific.startsWith(beginning) ? 2 : 3;
  };
  const occurrences = new Map(expected.map(({ scientificName, occurrence }) => [scientificName, occurrence]));
  return searchable
    .flatMap((bird) => {
      const rank = rankOf(bird);
      return rank === null ? [] : [{ ...bird, rank, occurrence: occurrences.get(bird.scientificName) ?? null }];
    })
    .sort(
      (one, other) =>
        Number(other.rank === 0) - Number(one.rank === 0) ||
        Number(one.rank >= EXACT_ELSEWHERE) - Number(other.rank >= EXACT_ELSEWHERE) ||
        Number(other.occurrence !== null) - Number(one.occurrence !== null) ||
        one.rank - other.rank ||
        (other.occurrence ?? 0) - (one.occurrence ?? 0) ||
        one.commonName.localeCompare(other.commonName),
    )
    .slice(0, MOST_FOUND)
    .map(({ scientificName, commonName }) => ({ scientificName, commonName }));
}

const toSearchable = ([scientificName, commonName]: readonly [string, string]): Searchable => ({
  scientificName,
  commonName,
  name: ` ${foldName(commonName)}`,
  scientific: ` ${foldName(scientificName)}`,
});
