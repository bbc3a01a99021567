import { z } from 'zod';

const namedSpeciesSchema = z.object({ scientificName: z.string(), commonName: z.string() });

/** `GET /v1/species/{scientificName}`: what the model's tables have on a bird. */
export const speciesProfileSchema = z.object({
  ...namedSpeciesSchema.shape,
  /** by language, as `conditions.language` names them; a language without a name of its own is left out */
  names: z.array(z.object({ language: z.string(), name: z.string() })),
  /** scientific names that other lists have for it */
  otherNames: z.array(z.string()),
  /** the other birds of its genus that the model knows, by scientific name */
  genus: z.array(namedSpeciesSchema),
  /** UN M49 areas or ISO countries that it lives in; empty where that is not known */
  regions: z.array(z.string()),
});
export type SpeciesProfile = z.infer<typeof speciesProfileSchema>;

/** Where pictures of birds come from. */
export const pictureSources = ['off', 'wikimedia'] as const;

/** `GET /v1/species/{scientificName}/picture`: a freely licensed picture, with what has to be shown beside it. */
export const speciesPictureSchema = z.object({
  /** Path of the image, of the API's origin. */
  path: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  /** null where none is named and the licence asks for none */
  author: z.string().nullable(),
  licence: z.string(),
  licenceUrl: z.string().nullable(),
  /** the page of the file at Wikimedia Commons */
  sourceUrl: z.string(),
});
export type SpeciesPicture = z.infer<typeof speciesPictureSchema>;

/** The cells of every range: row by row from the north, each from 180° W; without Antarctica. `degrees` is the side of a cell. */
export const rangeGrid = { degrees: 2, north: 84, columns: 180, rows: 71 } as const;

export type RangePeriod = 'year' | 'week';

/** `GET /v1/species/{scientificName}/range`: where a bird occurs on land. */
export const speciesRangeSchema = z.object({
  /** 1 to 48, four a month; null: the whole year */
  week: z.int().min(1).max(48).nullable(),
  degrees: z.number(),
  north: z.number(),
  columns: z.int(),
  rows: z.int(),
  /** base64 of one byte a cell, as in `GET /v1/occurrences`; 0 below 0.01, and where there is no land */
  cells: z.string(),
});
export type SpeciesRange = z.infer<typeof speciesRangeSchema>;

/** `GET /v1/species/{scientificName}/season`: how likely a bird is in each week of the year. */
export const speciesSeasonSchema = z.object({
  /** the zone whose towns these are the highest values of; null where a place was given */
  timeZone: z.string().nullable(),
  weeks: z.array(z.number().min(0).max(1)).length(48),
});
export type SpeciesSeason = z.infer<typeof speciesSeasonSchema>;

/** A place is rounded to so many degrees, some 50 km: enough for a season, and too coarse to tell where a person is. */
export const SEASON_DEGREES = 0.5;

export const toSeasonDegrees = (degrees: number): number => Math.round(degrees / SEASON_DEGREES) * SEASON_DEGREES;
