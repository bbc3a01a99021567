import { z } from 'zod';

/** `/v1/predictions/:id/reviews/:scientificName`: what the owner of a prediction says about its birds. */

/**
 * `confirmed`: it was this bird · `rejected`: it was not · `corrected`: it was another · `added`: this bird, which the answer does not
 * mention, was there, too.
 */
export const birdVerdictSchema = z.enum(['confirmed', 'rejected', 'corrected', 'added']);
export type BirdVerdict = z.infer<typeof birdVerdictSchema>;

export const birdReviewSchema = z.object({
  /** of the bird in the answer, or of the added one */
  scientificName: z.string(),
  commonName: z.string(),
  verdict: birdVerdictSchema,
  /** The true species of a bird that was corrected, otherwise null. */
  to: z.string().nullable(),
  /** in the language of the answer, or English; in lists, in the requested language */
  toCommonName: z.string().nullable(),
  /** Confirmed together with others: nothing may learn from it. Otherwise absent. */
  bulk: z.literal(true).optional(),
  at: z.iso.datetime(),
});
export type BirdReview = z.infer<typeof birdReviewSchema>;

/** The body of `PUT`; the latest review of a bird counts. */
export const birdReviewBodySchema = z.discriminatedUnion('verdict', [
  /** `bulk`: confirmed together with others; does nothing to a bird that has a review */
  z.strictObject({ verdict: z.literal('confirmed'), bulk: z.boolean().optional() }),
  z.strictObject({ verdict: z.enum(['rejected', 'added']) }),
  z.strictObject({ verdict: z.literal('corrected'), to: z.string().min(1).max(100) }),
]);
export type BirdReviewBody = z.infer<typeof birdReviewBodySchema>;

/** The response to `PUT` and `DELETE`: the latest review of each bird, by scientific name. */
export const birdReviewsSchema = z.object({ reviews: z.array(birdReviewSchema) });

/** The response to `GET`; `history` has all reviews in the order in which they were said, and withdrawals. */
export const birdReviewHistorySchema = birdReviewsSchema.extend({
  history: z.array(birdReviewSchema.extend({ verdict: z.enum([...birdVerdictSchema.options, 'withdrawn']) })),
});

export const birdReviewParamsSchema = z.object({ id: z.string().min(1).max(200), scientificName: z.string().min(1).max(100) });

/** Enough for every bird whose name ends in *Wren* or *Robin*. */
export const MOST_SPECIES_FOUND = 100;

/** The response to `GET /v1/species/search`: at most `MOST_SPECIES_FOUND` birds. */
export const foundSpeciesSchema = z.object({
  /** at most 100, best match first */
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string() })),
});
export type FoundSpecies = z.infer<typeof foundSpeciesSchema>['species'][number];
