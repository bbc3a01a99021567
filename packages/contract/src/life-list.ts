import { z } from 'zod';
import { listedPlaceSchema, placeSchema } from './places.ts';
import { birdNameSchema } from './prediction.ts';

const coordinatesSchema = placeSchema.pick({ latitude: true, longitude: true });

/** The query of `GET /v1/life-list`: the language of the names, absent: each as stored last; and the calendar year that is "this year". */
export const lifeListQuerySchema = z.object({
  language: z.string().max(35).optional(),
  year: z.coerce.number().int().min(1000).max(9999).optional(),
});

/** Where and when a bird was first found. */
const sightingSchema = z.object({
  /** Day stated with the recording, else the day it was sent (UTC). */
  on: z.iso.date(),
  /** When the recording was sent, if no day was stated with it; else null. */
  sentAt: z.iso.datetime().nullable(),
  /** The stated place; null if none was. */
  place: listedPlaceSchema.nullable(),
  /** Whether the bird was confirmed or added, another corrected to it, or it was imported. */
  confirmed: z.boolean(),
  /** null if it was imported */
  predictionId: z.string().nullable(),
  /** Confidence of the bird in that prediction; 0 if it does not name it. */
  confidence: z.number().min(0).max(1),
});
export type Sighting = z.infer<typeof sightingSchema>;

/**
 * `GET /v1/life-list`: every bird that the account has confirmed or imported, and, still to confirm, those that its answers name. Sorted by the
 * first time, latest first. A bird that was rejected or corrected does not count for that recording; the one it was corrected to does.
 */
export const lifeListSchema = z.object({
  species: z.array(
    z.object({
      ...birdNameSchema.shape,
      /** The first time it was confirmed; if it never was, the first time it was named. */
      first: sightingSchema,
      /** The same within the year; null if it was not found in it. */
      firstThisYear: sightingSchema.nullable(),
      predictions: z.int().nonnegative(),
      /** Number of predictions in which it was confirmed or added, or another bird was corrected to it. */
      confirmedPredictions: z.int().nonnegative(),
    }),
  ),
  /** number of imported species */
  imported: z.int().nonnegative(),
});
export type LifeList = z.infer<typeof lifeListSchema>;

/** `GET /v1/life-list/confirmed`: the birds that were confirmed in recordings with a stated day and place, a row for each recording. */
export const confirmedBirdsSchema = z.object({
  birds: z.array(
    z.object({
      ...birdNameSchema.shape,
      /** Its names in eBird of 2025 where they are others; several: it was split since. Absent: the same. */
      ebirdNames: z.array(z.string()).optional(),
      on: z.iso.date(),
      place: coordinatesSchema,
      predictionId: z.string(),
    }),
  ),
  /** number of confirmed birds whose recording has no stated day or no place */
  leftOut: z.int().nonnegative(),
});
export type ConfirmedBirds = z.infer<typeof confirmedBirdsSchema>;

const importedBirdSchema = z.object({
  /** as in the model or another list */
  scientificName: z.string().max(100),
  on: z.iso.date(),
  place: coordinatesSchema.nullable(),
});
export type ImportedBird = z.infer<typeof importedBirdSchema>;

/** More than the first and this year's first of every bird of the world. */
const MOST_IMPORTED = 25_000;
/** The body of `PUT /v1/life-list/imported`: everything imported from then on; it replaces what was imported before. */
export const importedBirdsSchema = z.object({ birds: z.array(importedBirdSchema).max(MOST_IMPORTED) });

export const lifeListImportedSchema = z.object({
  /** number of imported species */
  imported: z.int().nonnegative(),
  /** names that the model does not know, which were left out */
  unknown: z.array(z.string()),
});
