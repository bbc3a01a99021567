import { z } from 'zod';

/** What `chiffchaff review` and its page say to each other: a server for one page on one machine, not a part of the HTTP API. */

/** The header with the token that the page's address holds. */
export const REVIEW_TOKEN_HEADER = 'x-review-token';

/** The bird is there, is not, may be, or it is another one. */
export const reviewVerdicts = ['yes', 'no', 'unsure', 'other'] as const;
export type ReviewVerdict = (typeof reviewVerdicts)[number];

const intervalSchema = z.object({ low: z.number(), high: z.number() });

/** How far the review of a species is. */
export const reviewedSpeciesSchema = z.object({
  scientificName: z.string(),
  commonName: z.string(),
  detections: z.int(),
  /** that say yes or no */
  labels: z.int(),
  right: z.int(),
  unsure: z.int(),
  /** confidence from which on detections are right often enough; null where none is */
  threshold: z.number().nullable(),
  /** expected share of right ones from there on, with its 90 % interval; null where nothing is labelled */
  precision: z.number().nullable(),
  precisionInterval: intervalSchema.nullable(),
  isKnown: z.boolean(),
  isDone: z.boolean(),
});
export type ReviewedSpeciesBody = z.infer<typeof reviewedSpeciesSchema>;

/** `GET /review/state` */
export const reviewStateSchema = z.object({
  /** share of the detections kept that is to be right, 0–1 */
  target: z.number(),
  /** of the file that labels are written to */
  labelsName: z.string(),
  species: z.array(reviewedSpeciesSchema),
  canUndo: z.boolean(),
});
export type ReviewState = z.infer<typeof reviewStateSchema>;

/** One detection to be listened to. Its sound is at `/review/clips/{id}`, with something before and after. */
export const reviewClipSchema = z.object({
  id: z.int(),
  file: z.string(),
  startSeconds: z.number(),
  endSeconds: z.number(),
  scientificName: z.string(),
  commonName: z.string(),
  confidence: z.number(),
  /** where the sound begins in the recording */
  clipStartSeconds: z.number(),
});
export type ReviewClip = z.infer<typeof reviewClipSchema>;

/** `POST /review/next` */
export const reviewNextBodySchema = z.object({
  /** null: the first that is not done */
  species: z.string().max(200).nullable(),
  /** clips that the page has already */
  held: z.array(z.int()).max(1000),
});
export const reviewNextSchema = z.object({ clip: reviewClipSchema.nullable() });

/** `POST /review/labels`: answered once the label is on the disk. */
export const reviewLabelBodySchema = z.object({
  clip: z.int(),
  verdict: z.enum(reviewVerdicts),
  /** with `other`: what it was, as far as the person says so */
  otherSpecies: z.string().trim().max(100),
});
export type ReviewLabelBody = z.infer<typeof reviewLabelBodySchema>;
export const reviewLabelledSchema = z.object({ species: reviewedSpeciesSchema, canUndo: z.boolean() });

/** `POST /review/undo`: the latest label is taken back, and its clip comes again. */
export const reviewUndoneSchema = z.object({ clip: reviewClipSchema.nullable(), canUndo: z.boolean() });

/** Every answer that says no. */
export const reviewProblemSchema = z.object({ message: z.string() });
