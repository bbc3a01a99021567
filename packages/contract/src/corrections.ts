import { z } from 'zod';

/** `/v1/predictions/:id/corrections/:scientificName`: the owner's statement about a bird that the answer mentions. */

export const correctionKindSchema = z.enum(['confirmed', 'rejected', 'corrected']);
export type CorrectionKind = z.infer<typeof correctionKindSchema>;

export const correctionSchema = z.object({
  /** of the bird mentioned in the answer */
  scientificName: z.string(),
  commonName: z.string(),
  kind: correctionKindSchema,
  /** The true species of a bird that was corrected, otherwise null. */
  correctedTo: z.string().nullable(),
  /** in the language of the answer, or English; in lists, in the requested language */
  correctedToCommonName: z.string().nullable(),
  at: z.iso.datetime(),
});
export type Correction = z.infer<typeof correctionSchema>;

/** The body of `PUT`; replaces an earlier correction of the same bird. */
export const correctionBodySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['confirmed', 'rejected']) }),
  z.strictObject({ kind: z.literal('corrected'), correctedTo: z.string().min(1).max(100) }),
]);
export type CorrectionBody = z.infer<typeof correctionBodySchema>;

/** The response to `PUT` and `DELETE`: all corrections of the prediction, by scientific name. */
export const correctionsSchema = z.object({ corrections: z.array(correctionSchema) });

export const correctionParamsSchema = z.object({ id: z.string().min(1).max(200), scientificName: z.string().min(1).max(100) });

/** The response to `GET /v1/species/search`. */
export const foundSpeciesSchema = z.object({
  /** at most 100, best match first */
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string() })),
});
export type FoundSpecies = z.infer<typeof foundSpeciesSchema>['species'][number];
