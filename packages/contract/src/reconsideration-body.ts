import { z } from 'zod';

/**
 * The body of `POST /v1/predictions/:id/conditions`: everything that can be asked of a recording again without its audio.
 *
 * It states the conditions whole, not what changes: what is absent or null is not known (place, date) or takes the model's default.
 */
export const reconsiderationBodySchema = z
  .strictObject({
    /** degrees; both or none */
    latitude: z.number().min(-90).max(90).nullish(),
    longitude: z.number().min(-180).max(180).nullish(),
    /** ISO date, `2026-05-01`; without it the whole year counts. Has no meaning without a place. */
    date: z.iso.date().nullish(),
    /** Lowest score of a detection. */
    minScore: z.number().min(0).max(1).nullish(),
    /** Candidates kept. */
    top: z.int().min(1).max(100).nullish(),
    /** Language of species names. */
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})?$/)
      .nullish(),
  })
  .superRefine(({ latitude, longitude }, context) => {
    const [hasLatitude, hasLongitude] = [typeof latitude === 'number', typeof longitude === 'number'];
    if (hasLatitude === hasLongitude) return;
    const [missing, given] = hasLatitude ? ['longitude', 'latitude'] : ['latitude', 'longitude'];
    context.addIssue({ code: 'custom', path: [missing], message: `is needed together with ${given}` });
  });
export type ReconsiderationBody = z.infer<typeof reconsiderationBodySchema>;
