import { setImmediate } from 'node:timers/promises';
import { type FoundSpecies, foundSpeciesSchema, MOST_SPECIES_FOUND, speciesSearchQuerySchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../http/access.ts';
import { type FairLimiter, forVisitor } from '../http/limits/fair-limiter.ts';
import { foldName } from '../places/fold-name.ts';
import { checkLanguage, LABEL_LANGUAGE } from './language.ts';
import type { LoadedService, ModelLoader } from './model-loader.ts';

interface Searchable extends FoundSpecies {
  /** folded, in the form of `readNames` */
  readonly name: string;
  /** folded, with a space before each word */
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
      summary: 'Find birds the model knows by parts of their names, in any language',
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

/** A bird's names in all languages by its scientific name: folded, one a line, with a space around each word. */
async function readNames(analyzer: LoadedService): Promise<ReadonlyMap<string, string>> {
  const folded = new Map<string, string>();
  for (const [scientificName, names] of await analyzer.speciesNames()) {
    folded.set(
      scientificName,
      `\n${names
        .split('\n')
        .map((name) => ` ${foldName(name)} \n`)
        .join('')}`,
    );
    if (folded.size % FOLDED_AT_ONCE === 0) await setImmediate();
  }
  return folded;
}

/** How names match, best first: all but the last where words begin or end. */
const [EXACT, LAST_WORDS, ENDING, BEGINNING, EDGES, INSIDE] = [0, 1, 2, 3, 4, 5];

/**
 * Compares the names of a bird, in the form of `readNames`, with what was typed. Each word has to be in one of them, where it may also end
 * another word or be inside it (*meise* is in *Kohlmeise*), or begin a word of the scientific name, whose endings tell no group.
 *
 * @returns null for a bird that does not match
 */
function createMatcher(words: readonly string[]): (names: string, scientific?: string) => number | null {
  const typed = words.join(' ');
  const parts = words.map((word) => ({ word, first: ` ${word}`, last: `${word} ` }));
  const isAtEdges = (name: string, scientific: string): boolean =>
    parts.every(({ first, last }) => name.includes(first) || name.includes(last) || scientific.includes(first));
  return (names, scientific = '') => {
    if (!parts.every(({ word, first }) => names.includes(word) || scientific.includes(first))) return null;
    if (!isAtEdges(names, scientific) || !names.split('\n').some((name) => isAtEdges(name, scientific))) return INSIDE;
    if (names.includes(`\n ${typed} \n`) || scientific === ` ${typed}`) return EXACT;
    if (names.includes(` ${typed} \n`)) return LAST_WORDS;
    if (names.includes(`${typed} \n`)) return ENDING;
    return names.includes(`\n ${typed}`) || scientific.startsWith(` ${typed}`) ? BEGINNING : EDGES;
  };
}

/**
 * @param expected species that are not rare where the bird was heard
 * @param all see `readNames`
 * @returns species that match: first exact matches, then expected species, then others, each in the order of `EXACT` to `INSIDE`, but among
 *   expected species the likelier come first wherever a word begins or ends with the search. After all of them, in the same order, species
 *   that match by a name in another language
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
  const match = createMatcher(words);
  const occurrences = new Map(expected.map(({ scientificName, occurrence }) => [scientificName, occurrence]));
  return searchable
    .flatMap((bird) => {
      const own = match(bird.name, bird.scientific);
      const rank = own ?? match(all.get(bird.scientificName) ?? '');
      // Inside words of so many languages is almost anything.
      if (rank === null || (own === null && rank === INSIDE)) return [];
      const occurrence = occurrences.get(bird.scientificName) ?? null;
      const isLevel = occurrence !== null && rank !== EXACT && rank !== INSIDE;
      return [{ ...bird, isElsewhere: own === null, rank: isLevel ? EDGES : rank, occurrence }];
    })
    .sort(
      (one, other) =>
        Number(one.isElsewhere) - Number(other.isElsewhere) ||
        Number(other.rank === EXACT) - Number(one.rank === EXACT) ||
        Number(other.occurrence !== null) - Number(one.occurrence !== null) ||
        one.rank - other.rank ||
        (other.occurrence ?? 0) - (one.occurrence ?? 0) ||
        one.commonName.localeCompare(other.commonName),
    )
    .slice(0, MOST_SPECIES_FOUND)
    .map(({ scientificName, commonName }) => ({ scientificName, commonName }));
}

const toSearchable = ([scientificName, commonName]: readonly [string, string]): Searchable => ({
  scientificName,
  commonName,
  name: `\n ${foldName(commonName)} \n`,
  scientific: ` ${foldName(scientificName)}`,
});
