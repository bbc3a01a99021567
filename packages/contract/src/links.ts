import { z } from 'zod';
import { birdNameSchema, candidateSchema, confidenceWordSchema, predictionSchema } from './prediction.ts';

/**
 * `/v1/account/links`, `/v1/predictions/:id/links` and `/v1/shared/:token`: results that their owner shares with everyone who has the link.
 */

/** Maximum number of links of an account. */
export const MOST_LINKS = 100;

/** A link as its owner sees it. Its token is returned only when it is created; the server stores just a hash of it. */
export const linkSchema = z.object({
  id: z.string(),
  predictionId: z.string(),
  createdAt: z.iso.datetime(),
  /** Whether audio of the birds can be played, while it is kept. */
  sound: z.boolean(),
  /** of the recording; only its owner sees it */
  fileName: z.string().nullable(),
  /** names of the birds that count for the prediction, highest confidence first */
  commonNames: z.array(z.string()),
});
export type Link = z.infer<typeof linkSchema>;

/** `GET /v1/account/links` (newest first) and `DELETE /v1/account/links/:id`: the links after the request. */
export const linksSchema = z.object({ links: z.array(linkSchema) });

export const newLinkBodySchema = z.strictObject({ sound: z.boolean() });
/** The response to `POST /v1/predictions/:id/links`; the page shows the result at `/shared/TOKEN`. */
export const createdLinkSchema = z.object({ link: linkSchema, token: z.string() });

/** A bird of a shared result, after reviews. */
export const sharedBirdSchema = z.object({
  ...birdNameSchema.shape,
  /** null where the owner has added the bird, or corrected another to it, and the answer has no word for it */
  confidenceWord: confidenceWordSchema.nullable(),
  /** Whether the word’s meter is full; the confidence itself is not told. */
  nearlyCertain: z.boolean(),
  /** The owner has confirmed or added the bird. */
  confirmed: z.boolean(),
  /** Where it lives, if that has to be shown with its name; as in candidates. */
  regions: candidateSchema.shape.regions.unwrap(),
  /** A few seconds around the bird, to show and, with `sound`, to play; null if no audio of it is kept. */
  clip: z.object({ durationSeconds: z.number().positive(), sound: z.boolean() }).nullable(),
});
export type SharedBird = z.infer<typeof sharedBirdSchema>;

/** What everyone with a link sees: nothing about who, exactly where or exactly when. */
export const sharedPredictionSchema = z.object({
  /** in the order first heard; empty if no bird was identified */
  birds: z.array(sharedBirdSchema),
  /** of the day or week stated with the recording; null if none was */
  month: z.object({ year: z.int().nullable(), month: z.int().min(1).max(12) }).nullable(),
  /** of the place stated with it: ISO country code or UN M49 area code; null if none was, or at sea */
  region: z.string().nullable(),
  /** of the names */
  language: z.string(),
  model: predictionSchema.shape.model.pick({ licence: true, attribution: true }),
});
export type SharedPrediction = z.infer<typeof sharedPredictionSchema>;

/** `GET /v1/shared/:token?language`: the language of the names; absent: as stored. */
export const sharedQuerySchema = z.object({ language: z.string().max(35).optional() });

/** Rows of `GET /v1/shared/:token/spectrogram/:scientificName`, from 0 Hz upwards; the length of the response gives the columns. */
export const SHARED_ROWS = 64;
