import { z } from 'zod';
import { birdNameSchema } from './prediction.ts';

/** `GET /v1/species/{scientificName}`: what the model's tables say about a bird. */
export const speciesProfileSchema = z.object({
  ...birdNameSchema.shape,
  /** by language, with codes as in `conditions.language`; languages without a name of their own are omitted */
  names: z.array(z.object({ language: z.string(), name: z.string() })),
  /** scientific names in other lists */
  otherNames: z.array(z.string()),
  /** the other birds of its genus that the model knows, by scientific name */
  genus: z.array(birdNameSchema),
});
export type SpeciesProfile = z.infer<typeof speciesProfileSchema>;

/** Sources of pictures and songs of birds. */
export const pictureSources = ['off', 'wikimedia'] as const;

/** A freely licensed file, with the credits to show beside it. */
const licensedFileSchema = z.object({
  /** Path of the file on the API's origin. */
  path: z.string(),
  /** null if none is named and the licence does not require it */
  author: z.string().nullable(),
  licence: z.string(),
  licenceUrl: z.string().nullable(),
  /** the file's page on Wikimedia Commons */
  sourceUrl: z.string(),
});
export type FileCredits = Pick<z.infer<typeof licensedFileSchema>, 'author' | 'licence' | 'licenceUrl' | 'sourceUrl'>;

/** `GET /v1/species/{scientificName}/picture` */
export const speciesPictureSchema = licensedFileSchema.extend({ width: z.int().positive(), height: z.int().positive() });
export type SpeciesPicture = z.infer<typeof speciesPictureSchema>;

/** Longer songs are not shown. */
export const LONGEST_SONG_SECONDS = 60;
/** `GET /v1/species/{scientificName}/song`: a song converted from the file that the credits are for. */
export const speciesSongSchema = licensedFileSchema.extend({ durationSeconds: z.number().positive().max(LONGEST_SONG_SECONDS) });
export type SpeciesSong = z.infer<typeof speciesSongSchema>;

/** The grid of every range: row by row from the north, each from 180° W; without Antarctica. `degrees` is the side of a cell. */
export const rangeGrid = { degrees: 2, north: 84, columns: 180, rows: 71 } as const;

/** The cell of that grid in which a place lies. */
export const rangeCellAt = (latitude: number, longitude: number): number => {
  const { degrees, north, columns } = rangeGrid;
  const column = (Math.floor((longitude + 180) / degrees) + columns) % columns;
  return Math.floor((north - latitude) / degrees) * columns + column;
};

/** A bird is *expected* where and when its occurrence is at least this. */
export const EXPECTED_FROM = 0.03;

export type RangePeriod = 'year' | 'week';

/** `GET /v1/species/{scientificName}/range`: where a bird occurs on land. */
export const speciesRangeSchema = z.object({
  /** 1–48, four a month; null: the whole year */
  week: z.int().min(1).max(48).nullable(),
  degrees: z.number(),
  north: z.number(),
  columns: z.int(),
  rows: z.int(),
  /** base64 of one byte for each cell, as in `GET /v1/occurrences`; 0 below 0.01, and where there is no land */
  cells: z.string(),
  /** base64 of one byte for each cell: 1 where few people report, because no town of 5,000 people lies in it */
  sparse: z.string(),
  /** UN M49 areas or ISO countries with most of the other cells in which the bird is expected; empty if there are none */
  regions: z.array(z.string()),
});
export type SpeciesRange = z.infer<typeof speciesRangeSchema>;

/** `GET /v1/species/{scientificName}/season`: how likely a bird is in each week of the year. */
export const speciesSeasonSchema = z.object({
  /** the zone over whose towns these are the maximum values; null if a place was given */
  timeZone: z.string().nullable(),
  weeks: z.array(z.number().min(0).max(1)).length(48),
  /** scientific names of the others of its genus that are expected there at some time, likeliest first; none where it is sparse */
  relatives: z.array(z.string()),
  /** whether few people report there, as in `speciesRangeSchema` */
  sparse: z.boolean(),
});
export type SpeciesSeason = z.infer<typeof speciesSeasonSchema>;

const WEEKS_A_MONTH = 4;

/** The month of a week, both counted from 0. */
export const monthOfWeek = (week: number): number => Math.floor(week / WEEKS_A_MONTH);

/** Residents are reported at most this many times less in the months in which they are silent. */
const SILENT_TIMES = 12;

/**
 * When a bird is there. A month counts if the bird is above half as likely in it as in its best one.
 *
 * @param weeks how likely in each of the 48
 */
export function monthsOf(weeks: readonly number[]): { readonly isThere: readonly boolean[]; readonly isResident: boolean } {
  const months = Array.from({ length: weeks.length / WEEKS_A_MONTH }, (_, month) =>
    weeks.slice(month * WEEKS_A_MONTH, (month + 1) * WEEKS_A_MONTH).reduce((sum, week) => sum + week),
  );
  const best = Math.max(...months);
  return { isThere: months.map((month) => month > best / 2), isResident: Math.min(...months) > best / SILENT_TIMES };
}

/** `GET /v1/species/around`: the birds expected at a place in a week, likeliest first. */
export const speciesAroundSchema = z.object({
  /** as in `speciesSeasonSchema` */
  timeZone: z.string().nullable(),
  /** 1–48, four a month */
  week: z.int().min(1).max(48),
  /** as in `speciesSeasonSchema`; then no birds are listed */
  sparse: z.boolean(),
  /** the 60 likeliest, then others that begin or end */
  species: z.array(
    z.object({
      ...birdNameSchema.shape,
      occurrence: z.number().min(0).max(1),
      /** no resident, there in this month and not in the one before, as `monthsOf` has it */
      begins: z.boolean(),
      /** no resident, there in this month and not in the next one */
      ends: z.boolean(),
    }),
  ),
});
export type SpeciesAround = z.infer<typeof speciesAroundSchema>;

/** Places are rounded to this, some 50 km: fine enough for a season, and too coarse to reveal where a person is. */
export const SEASON_DEGREES = 0.5;

export const toSeasonDegrees = (degrees: number): number => Math.round(degrees / SEASON_DEGREES) * SEASON_DEGREES;
