import { z } from 'zod';

/** The protocol between `chiffchaff review` and its page: a server for one page on one machine, no part of the HTTP API. */

/** The header with the token from the page's address. */
export const REVIEW_TOKEN_HEADER = 'x-review-token';

/** The bird is there, is not, may be, or is another species. */
export const reviewVerdicts = ['yes', 'no', 'unsure', 'other'] as const;
export type ReviewVerdict = (typeof reviewVerdicts)[number];

const intervalSchema = z.object({ low: z.number(), high: z.number() });

/** Progress of the review of a species. */
export const reviewedSpeciesSchema = z.object({
  scientificName: z.string(),
  commonName: z.string(),
  detections: z.int(),
  /** number of labels that say yes or no */
  labels: z.int(),
  right: z.int(),
  unsure: z.int(),
  /** lowest confidence from which detections are right often enough; null if there is none, or the labels do not tell */
  threshold: z.number().nullable(),
  /** true: there are too few labels to tell */
  needsLabels: z.boolean(),
  /** expected share of right detections from there on, of all or of the surest, with its 90 % interval; null without labels */
  precision: z.number().nullable(),
  precisionInterval: intervalSchema.nullable(),
  isKnown: z.boolean(),
  /** Whether the precision is known well enough, or nothing is left to label. */
  isDone: z.boolean(),
});
export type ReviewedSpeciesBody = z.infer<typeof reviewedSpeciesSchema>;

/** `GET /review/state` */
export const reviewStateSchema = z.object({
  /** target share of right ones among the detections kept, 0–1 */
  target: z.number(),
  /** name of the file that labels are written to */
  labelsName: z.string(),
  species: z.array(reviewedSpeciesSchema),
  canUndo: z.boolean(),
});
export type ReviewState = z.infer<typeof reviewStateSchema>;

/** One detection to listen to. Its audio is at `/review/clips/{id}`, with some context before and after. */
export const reviewClipSchema = z.object({
  id: z.int(),
  file: z.string(),
  startSeconds: z.number(),
  endSeconds: z.number(),
  scientificName: z.string(),
  commonName: z.string(),
  confidence: z.number(),
  /** start of the audio in the recording */
  clipStartSeconds: z.number(),
});
export type ReviewClip = z.infer<typeof reviewClipSchema>;

/** `POST /review/next` */
export const reviewNextBodySchema = z.object({
  /** null: the first that is not done */
  species: z.string().max(200).nullable(),
  /** clips that the page already has */
  held: z.array(z.int()).max(1000),
});
export const reviewNextSchema = z.object({ clip: reviewClipSchema.nullable() });

/** `POST /review/labels`: the response comes once the label is on disk. */
export const reviewLabelBodySchema = z.object({
  clip: z.int(),
  verdict: z.enum(reviewVerdicts),
  /** with `other`: the true species, if the person names it */
  otherSpecies: z.string().trim().max(100),
});
export type ReviewLabelBody = z.infer<typeof reviewLabelBodySchema>;
export const reviewLabelledSchema = z.object({ species: reviewedSpeciesSchema, canUndo: z.boolean() });

/** `POST /review/undo`: removes the latest label and returns its clip. */
export const reviewUndoneSchema = z.object({ clip: reviewClipSchema.nullable(), canUndo: z.boolean() });

/** The body of every error response. */
export const reviewProblemSchema = z.object({ message: z.string() });
