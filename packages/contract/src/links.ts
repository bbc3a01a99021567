import { z } from 'zod';
import { candidateSchema, confidenceWordSchema, predictionSchema } from './prediction.ts';

/** `/v1/account/links`, `/v1/predictions/:id/links` and `/v1/shared/:token`: results that their owner shows to everyone who has the link. */

/** Links that an account may have at once. */
export const MOST_LINKS = 100;

/** A link as its owner sees it. Its token is told once, when it is made; only a hash of it is stored. */
export const linkSchema = z.object({
  id: z.string(),
  predictionId: z.string(),
  createdAt: z.iso.datetime(),
  /** Whether sound of the birds can be heard, as long as it is kept. */
  sound: z.boolean(),
  /** of the recording, for its owner alone */
  fileName: z.string().nullable(),
  /** names of the birds that count for the prediction, the surest first */
  commonNames: z.array(z.string()),
});
export type Link = z.infer<typeof linkSchema>;

/** `GET /v1/account/links` (newest first) and `DELETE /v1/account/links/:id`: the links there are then. */
export const linksSchema = z.object({ links: z.array(linkSchema) });

export const newLinkBodySchema = z.strictObject({ sound: z.boolean() });
/** The answer to `POST /v1/predictions/:id/links`; the page shows it at `/shared/TOKEN`. */
export const newLinkSchema = z.object({ link: linkSchema, token: z.string() });
export type NewLink = z.infer<typeof newLinkSchema>;

/** A bird of a shared result, after corrections. */
export const sharedBirdSchema = z.object({
  scientificName: z.string(),
  commonName: z.string(),
  /** null where its owner has said which bird it was and the answer has no word for that one */
  confidenceWord: confidenceWordSchema.nullable(),
  /** The owner says that it was this bird. */
  confirmed: z.boolean(),
  /** Where it lives, where that has to be said with it; as in candidates. */
  regions: candidateSchema.shape.regions.unwrap(),
  /** Sound of it that can be heard and seen; null where there is none. */
  clip: z.object({ durationSeconds: z.number().positive() }).nullable(),
});
export type SharedBird = z.infer<typeof sharedBirdSchema>;

/** What everyone who has a link is told: nothing that says who, exactly where or exactly when. */
export const sharedPredictionSchema = z.object({
  /** in the order in which they are first heard; empty where no bird was identified */
  birds: z.array(sharedBirdSchema),
  /** of the day or week that was told with the recording; null when none was */
  month: z.object({ year: z.int().nullable(), month: z.int().min(1).max(12) }).nullable(),
  /** of the place that was told with it: ISO country code or UN M49 area code; null when none was, or it is at sea */
  region: z.string().nullable(),
  /** of the names */
  language: z.string(),
  model: predictionSchema.shape.model.pick({ licence: true, attribution: true }),
});
export type SharedPrediction = z.infer<typeof sharedPredictionSchema>;

/** `GET /v1/shared/:token?language`: the language of the names; absent leaves them as they were given. */
export const sharedQuerySchema = z.object({ language: z.string().max(35).optional() });

/** Rows of `GET /v1/shared/:token/spectrogram/:scientificName`, from 0 Hz upwards; columns follow from its length. */
export const SHARED_ROWS = 64;
