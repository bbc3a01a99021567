import { chooseRegions, type SeasonPlace } from '@chiffchaff/analysis';
import {
  EXPECTED_FROM,
  rangeCellAt,
  rangeGrid,
  SEASON_DEGREES,
  type SpeciesRange,
  seasonQuerySchema,
  speciesAroundQuerySchema,
  speciesAroundSchema,
  speciesProfileQuerySchema,
  speciesProfileSchema,
  speciesRangeQuerySchema,
  speciesRangeSchema,
  speciesSeasonSchema,
  toSeasonDegrees,
} from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../http/access.ts';
import { existing, HttpProblem } from '../http/http-problem.ts';
import { type FairLimiter, forVisitor } from '../http/limits/fair-limiter.ts';
import { type PlaceIndex, readAreasOnce } from '../places/place-index.ts';
import { checkLanguage, LABEL_LANGUAGE } from '../prediction/language.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';

const SPECIES = '/v1/species/:scientificName';

/** The longest name of the model has 38 characters. */
const paramsSchema = z.object({ scientificName: z.string().max(100) });

export interface SpeciesRoutesOptions {
  readonly modelLoader: ModelLoader;
  /** of the occurrence model, which takes 10 ms for the season of a place, and a quarter of a second for that of a time zone */
  readonly occurrenceLimiter: FairLimiter;
  readonly places: Pick<PlaceIndex, 'townCells'>;
}

/** Data for pages about birds. Public: none of it is about a person, and places are coarse. */
export const speciesRoutes: FastifyPluginAsyncZod<SpeciesRoutesOptions> = async (
  app,
  { modelLoader, occurrenceLimiter, places },
) => {
  app.get(
    SPECIES,
    routeFor('public', {
      summary: 'Names and relatives of a bird',
      description: 'By its scientific name, also one that other lists have for it. 404 `SPECIES_UNKNOWN` for any other name.',
      params: paramsSchema,
      querystring: speciesProfileQuerySchema,
      response: { 200: speciesProfileSchema },
    }),
    async ({ params, query }, reply) => {
      const analyzer = await modelLoader.get();
      const { language = LABEL_LANGUAGE } = query;
      checkLanguage(language, analyzer.languages);
      const profile = await analyzer.speciesProfile(params.scientificName, language);
      if (profile === null) throw new HttpProblem('SPECIES_UNKNOWN', { name: params.scientificName });
      reply.header('cache-control', 'public, max-age=3600');
      return profile;
    },
  );

  app.get(
    `${SPECIES}/range`,
    routeFor('public', {
      summary: 'Where a bird occurs on land, over the year or in the present week',
      description:
        'Cells of 2°, row by row from the north, each row from 180° W, without Antarctica. One byte a cell, as in `GET /v1/occurrences`; 0 below 0.01 and where there is no land. `sparse` marks cells without a town of 5,000 people, where few people report and the model guesses; `regions` leaves them out. 404 where that is not known.',
      params: paramsSchema,
      querystring: speciesRangeQuerySchema,
      response: { 200: speciesRangeSchema },
    }),
    async ({ params, query }, reply) => {
      const range = existing(await (await modelLoader.get()).speciesRange(params.scientificName, query.period));
      reply.header('cache-control', `public, max-age=${query.period === 'year' ? 86_400 : 3600}`);
      return markSparse(range, await places.townCells());
    },
  );

  app.get(
    `${SPECIES}/season`,
    routeFor('public', {
      summary: 'How likely a bird is at a place in each week of the year',
      description: `48 weeks, four a month. The place is rounded to ${SEASON_DEGREES}°; of a time zone they are the highest values of its towns. \`sparse\`: few people report there, as in a range; then there are no \`relatives\`, the others of its genus that are expected there at some time. 404 where nothing is known.`,
      params: paramsSchema,
      querystring: seasonQuerySchema,
      response: { 200: speciesSeasonSchema },
    }),
    async (request, reply) => {
      const { params, query } = request;
      const analyzer = await modelLoader.get();
      const where = seasonPlaceOf(query);
      return forVisitor(request, reply, async (visitor) => {
        const season = existing(await occurrenceLimiter.run(visitor, () => analyzer.speciesSeason(params.scientificName, where)));
        reply.header('cache-control', 'public, max-age=86400');
        const sparse = isSparse(where, await places.townCells());
        return { ...season, sparse, relatives: sparse ? [] : season.relatives };
      });
    },
  );

  app.get(
    '/v1/species/around',
    routeFor('public', {
      summary: 'The birds expected around a place in a week, and which of them begin or end in that month',
      description: `The 60 likeliest, then those that begin or end. All are *expected*, as \`occurrenceWord\` has it; a bird is there in the months in which it is above half as likely as in its best one; unless it is a twelfth as likely all year, it begins if it is not there in the month before, and ends if it is not in the one after. The place is rounded to ${SEASON_DEGREES}°; of a time zone they are the highest values of its towns. \`sparse\`: few people report there, as in a range, and no bird is listed. 404 where nothing is known.`,
      querystring: speciesAroundQuerySchema,
      response: { 200: speciesAroundSchema },
    }),
    async (request, reply) => {
      const { week = 0, language = LABEL_LANGUAGE, ...query } = request.query;
      const analyzer = await modelLoader.get();
      checkLanguage(language, analyzer.languages);
      const where = seasonPlaceOf(query);
      return forVisitor(request, reply, async (visitor) => {
        const around = existing(await occurrenceLimiter.run(visitor, () => analyzer.speciesAround(where, week, language)));
        reply.header('cache-control', 'public, max-age=86400');
        const sparse = isSparse(where, await places.townCells());
        return { ...around, sparse, species: sparse ? [] : around.species };
      });
    },
  );
};

/** The time zone, or the place as coarse as a season needs. */
const seasonPlaceOf = ({ latitude = 0, longitude = 0, timeZone }: z.output<typeof seasonQuerySchema>) =>
  timeZone === undefined ? { latitude: toSeasonDegrees(latitude), longitude: toSeasonDegrees(longitude) } : { timeZone };

/** Where towns are; the occurrence model learned little about birds elsewhere. */
type TownCells = Awaited<ReturnType<PlaceIndex['townCells']>>;

const EXPECTED_BYTE = occurrenceToByte(EXPECTED_FROM);

/** Adds to a range where few people report, and the regions of the rest. */
function markSparse(range: Omit<SpeciesRange, 'sparse' | 'regions'>, townCells: TownCells): SpeciesRange {
  const cells = Buffer.from(range.cells, 'base64');
  const sparse = Buffer.alloc(rangeGrid.columns * rangeGrid.rows, 1);
  const cellsIn = new Map<string, number>();
  for (const [cell, country] of townCells) {
    sparse[cell] = 0;
    if ((cells[cell] ?? 0) >= EXPECTED_BYTE) cellsIn.set(country, (cellsIn.get(country) ?? 0) + 1);
  }
  return { ...range, sparse: sparse.toString('base64'), regions: chooseRegions(cellsIn, readAreasOnce()) };
}

/** Whether few people report at a place: there is no town in its cell, nor in one that its rounding may have moved it from. */
function isSparse(where: SeasonPlace, townCells: TownCells): boolean {
  if ('timeZone' in where) return false;
  const moved = [-SEASON_DEGREES / 2, SEASON_DEGREES / 2];
  const around = moved.flatMap((north) => moved.map((east) => rangeCellAt(where.latitude + north, where.longitude + east)));
  return !around.some((cell) => townCells.has(cell));
}
