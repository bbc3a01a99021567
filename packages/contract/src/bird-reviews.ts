import { z } from 'zod';

/** `/v1/predictions/:id/reviews/:scientificName`: the owner's statement about a bird that the answer mentions. */

export const birdVerdictSchema = z.enum(['confirmed', 'rejected', 'corrected']);
export type BirdVerdict = z.infer<typeof birdVerdictSchema>;

export const birdReviewSchema = z.object({
  /** of the bird mentioned in the answer */
  scientificName: z.string(),
  commonName: z.string(),
  verdict: birdVerdictSchema,
  /** The true species of a bird that was corrected, otherwise null. */
  to: z.string().nullable(),
  /** in the language of the answer, or English; in lists, in the requested language */
  toCommonName: z.string().nullable(),
  at: z.iso.datetime(),
});
export type BirdReview = z.infer<typeof birdReviewSchema>;

/** The body of `PUT`; replaces an earlier review of the same bird. */
export const birdReviewBodySchema = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.enum(['confirmed', 'rejected']) }),
  z.strictObject({ verdict: z.literal('corrected'), to: z.string().min(1).max(100) }),
]);
export type BirdReviewBody = z.infer<typeof birdReviewBodySchema>;

/** The response to `PUT` and `DELETE`: all reviews of the prediction, by scientific name. */
export const birdReviewsSchema = z.object({ reviews: z.array(birdReviewSchema) });

export const birdReviewParamsSchema = z.object({ id: z.string().min(1).max(200), scientificName: z.string().min(1).max(100) });

/** The response to `GET /v1/species/search`. */
export const foundSpeciesSchema = z.object({
  /** at most 100, best match first */
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string() })),
});
export type FoundSpecies = z.infer<typeof foundSpeciesSchema>['species'][number];
