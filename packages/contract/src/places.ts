import { z } from 'zod';

/** One result of `GET /v1/places?q=`: a populated place from the server's own data. */
export const placeSchema = z.object({
  name: z.string(),
  /** The state, province or similar, if known. */
  region: z.string().nullable(),
  /** ISO 3166-1 alpha-2 */
  countryCode: z.string(),
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});
export type Place = z.infer<typeof placeSchema>;

/** `GET /v1/places?q=`: best match first, at most ten; show `attribution` beside them. */
export const placesSchema = z.object({ places: z.array(placeSchema), attribution: z.string() });

/** A stated place in a list, with the town that it is in or near; without one if none is near. */
export const listedPlaceSchema = placeSchema.pick({ latitude: true, longitude: true }).extend({ town: z.string().optional() });
export type ListedPlace = z.infer<typeof listedPlaceSchema>;

/** `GET /v1/places/region?latitude&longitude`: an ISO country code or a UN M49 area code; null at sea. */
export const regionOfPlaceSchema = z.object({
  region: z
    .string()
    .regex(/^([0-9]{3}|[A-Z]{2})$/)
    .nullable(),
});

/** `GET /v1/species?latitude&longitude&date&language`, most likely first; `occurrence` is 0–1. */
export const expectedSpeciesSchema = z.object({
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string(), occurrence: z.number().min(0).max(1) })),
});
