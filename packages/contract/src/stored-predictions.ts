import { z } from 'zod';
import { KEEP_AUDIO_CHOICES } from './keep-audio.ts';
import { birdNameSchema, earlyDetectionSchema, predictionSchema } from './prediction.ts';
import { problemBodySchema } from './problem-body.ts';

/** `/v1/predictions…`: what an account has asked, under way and answered. Every id may also be the request's idempotency key. */

export const keepAudioSchema = z.enum(KEEP_AUDIO_CHOICES);

/**
 * A stretch of the recording that was kept: from `startSeconds` to `endSeconds` of the recording, which begins at `offsetSeconds` of the
 * kept sound.
 */
export const keptMomentSchema = z.object({
  startSeconds: z.number().nonnegative(),
  endSeconds: z.number().nonnegative(),
  offsetSeconds: z.number().nonnegative(),
});
export type KeptMoment = z.infer<typeof keptMomentSchema>;

/** Sound of a recording that can be listened to and looked at, and until when. */
export const keptAudioSchema = z.object({
  kind: z.enum(['moments', 'recording']),
  /** ISO instant after which it is gone. */
  keptUntil: z.iso.datetime(),
  /** Of a whole recording: the best moments of it stay longer, until then; absent when nothing does. */
  momentsKeptUntil: z.iso.datetime().optional(),
  /** What there is of the recording, in order and apart from each other; absent when all of it is there. */
  moments: z.array(keptMomentSchema).optional(),
});
export type KeptAudio = z.infer<typeof keptAudioSchema>;

/** `queued`: waits for its turn · `listening`: being decoded and analysed. */
export const workStageSchema = z.enum(['queued', 'listening']);

/** Whether it waits because other recordings are analysed; never while it is analysed itself. */
const behindOthersSchema = z.boolean().default(false);

/** Work that has no answer yet. */
export const predictionInWorkSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  fileName: z.string().nullable(),
  stage: workStageSchema,
  /** Part of the recording that has been analysed, 0–1; null while unknown. */
  fraction: z.number().min(0).max(1).nullable(),
  behindOthers: behindOthersSchema,
});
export type PredictionInWork = z.infer<typeof predictionInWorkSchema>;

/** A recording that came to no answer, kept for a day: the page may be closed by then, or opened on another device. */
export const predictionFailedSchema = predictionInWorkSchema
  .pick({ id: true, createdAt: true, fileName: true })
  .extend({ problem: problemBodySchema });
export type PredictionFailed = z.infer<typeof predictionFailedSchema>;

/** One line of the history: enough to list it without opening it. */
export const predictionSummarySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  fileName: z.string().nullable(),
  durationSeconds: z.number().nonnegative(),
  /** The day that was told with the recording; null when none was. Absent in answers of older servers. */
  recordedOn: z.iso.date().nullable().optional(),
  /** `named`: the names of the verdict's birds, in its order. */
  verdict: predictionSchema.shape.verdict
    .pick({ kind: true, tied: true, sentence: true })
    .extend({ named: z.array(birdNameSchema).optional() }),
  /** Birds whose word is at least `perhaps`, the surest first. */
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string(), confidence: z.number().min(0).max(1) })),
  /** What its owner has said about its birds; absent when nothing was said. */
  corrections: predictionSchema.shape.corrections,
  keptAudio: keptAudioSchema.nullable(),
});
export type PredictionSummary = z.infer<typeof predictionSummarySchema>;

/** `GET /v1/predictions`: newest first. `cursor` asks for the next page; null at the end. Work in hand comes with the first page, as does what failed. */
export const predictionListSchema = z.object({
  inWork: z.array(predictionInWorkSchema),
  failed: z.array(predictionFailedSchema),
  predictions: z.array(predictionSummarySchema),
  cursor: z.string().nullable(),
});
export type PredictionList = z.infer<typeof predictionListSchema>;

/** The query of `GET /v1/predictions/species`: the language of the names; absent leaves each as it was last given. */
export const heardSpeciesQuerySchema = z.object({ language: z.string().max(35).optional() });

const flagInQuery = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

/**
 * The query of `GET /v1/predictions`. `search` finds words of species names, as they were given and in the `language` that is asked for,
 * and of file names. The others narrow further: to recordings with a species, of days from `from` to `to`, within 25 km or so of a place, with
 * a confirmed bird, or of one file.
 */
export const predictionListQuerySchema = heardSpeciesQuerySchema
  .extend({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().max(200).optional(),
    search: z.string().max(200).optional(),
    /** scientific name */
    species: z.string().max(200).optional(),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    latitude: z.coerce.number().min(-90).max(90).optional(),
    longitude: z.coerce.number().min(-180).max(180).optional(),
    /** Only those of which a bird was confirmed, or corrected to another. */
    confirmed: flagInQuery,
    /** of the file that was sent, in hexadecimal digits */
    sha256: z
      .string()
      .regex(/^[\da-f]{64}$/)
      .optional(),
  })
  .refine(({ latitude, longitude }) => (latitude === undefined) === (longitude === undefined), {
    path: ['longitude'],
    message: 'is required with latitude',
  });
export type PredictionListQuery = z.infer<typeof predictionListQuerySchema>;

/**
 * `GET /v1/predictions/days`: how many answers there are of recordings of each day, the latest first. The day is the one that was told with
 * the recording, else the one on which it was sent (UTC).
 */
export const predictionDaysSchema = z.object({
  days: z.array(z.object({ day: z.iso.date(), predictions: z.int().positive() })),
});
export type PredictionDays = z.infer<typeof predictionDaysSchema>;

/** `DELETE` of one prediction or of all: work is cancelled for good, answers can be restored for a while. */
export const predictionsDeletedSchema = z.object({
  deleted: z.int().nonnegative(),
  /** ISO instant until which `POST …/restore` undoes it; null when nothing can be restored. */
  restorableUntil: z.iso.datetime().nullable(),
});

/** `POST /v1/predictions/:id/restore`, `POST /v1/predictions/restore` (everything that still can be). */
export const predictionsRestoredSchema = z.object({ restored: z.int().nonnegative() });

/**
 * What both exports may be asked: what the place hides is left out unless `showHidden`; with `excelSafe`, names that a spreadsheet would
 * run as a formula are made text in CSV files.
 */
export const exportAllQuerySchema = z.object({
  showHidden: flagInQuery,
  excelSafe: flagInQuery,
  ticket: z.string().max(2000).optional(),
});

export const exportFormatSchema = z.enum(['csv', 'raven', 'audacity', 'json']);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

/**
 * The query of `GET /v1/predictions/:id/events`. Who has just sent a recording may ask for its events before the server has begun to receive
 * it, and says how many seconds to wait for it. Absent: what is not known now is 404.
 */
export const eventsQuerySchema = z.object({ wait: z.coerce.number().int().min(0).max(30).default(0) });

/** The query of `GET /v1/predictions/:id/export`. */
export const exportQuerySchema = exportAllQuerySchema.extend({ format: exportFormatSchema });

/**
 * `GET /v1/predictions/species`: every species that the account's answers name, the one that was first heard last at the top. A bird that was
 * rejected or corrected does not count for that recording; one that was confirmed does, and so does the one that another was corrected to.
 */
export const heardSpeciesSchema = z.object({
  species: z.array(
    z.object({
      scientificName: z.string(),
      commonName: z.string(),
      /** Day of the earliest recording that has it: the one that was told with it, else the day on which it was sent (UTC). */
      firstHeardOn: z.iso.date(),
      /**
       * The instant at which the earliest recording was sent, where no day was told with it; else null. Absent in answers of older servers.
       */
      firstSentAt: z.iso.datetime().nullable().optional(),
      /** The highest in any answer; 0 when only a correction names it. */
      confidence: z.number().min(0).max(1),
      /** It was confirmed in a recording, or another bird was corrected to it. Absent in answers of older servers. */
      confirmed: z.boolean().optional(),
      /** In how many predictions; absent in answers of older servers. */
      confirmedPredictions: z.int().nonnegative().optional(),
      predictions: z.int().positive(),
    }),
  ),
});
export type HeardSpecies = z.infer<typeof heardSpeciesSchema>;

/** `GET /v1/predictions/:id`: the answer, or how far the work is. */
export const storedPredictionSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('inWork'), work: predictionInWorkSchema }),
  z.object({ state: z.literal('done'), prediction: predictionSchema, keptAudio: keptAudioSchema.nullable() }),
  z.object({ state: z.literal('failed'), problem: problemBodySchema }),
]);
export type StoredPrediction = z.infer<typeof storedPredictionSchema>;

/** `GET /v1/predictions/:id/events`: server-sent events; the event's name is `type`, its data the rest as JSON. */
export const predictionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    stage: workStageSchema,
    fraction: z.number().min(0).max(1).nullable(),
    behindOthers: behindOthersSchema,
    /** What was detected so far. */
    detections: z.array(earlyDetectionSchema),
  }),
  z.object({ type: z.literal('done'), prediction: predictionSchema }),
  z.object({ type: z.literal('failed'), problem: problemBodySchema }),
]);
export type PredictionEvent = z.infer<typeof predictionEventSchema>;

/**
 * `POST /v1/predictions/:id/ticket`: a link for elements of a page, which cannot send a header. `POST /v1/predictions/ticket` gives one for
 * `GET /v1/predictions/export`, which needs no purpose.
 */
export const ticketBodySchema = z.strictObject({ purpose: z.enum(['audio', 'export']) });
export const ticketSchema = z.object({ url: z.string(), expiresAt: z.iso.datetime() });
export type Ticket = z.infer<typeof ticketSchema>;

/**
 * `GET /v1/predictions/:id/spectrogram?startSeconds&endSeconds&maxHz&columns&rows`: levels of a stretch of kept sound as bytes
 * (`application/octet-stream`), column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. Scaled once for the
 * whole recording.
 */
export const spectrogramQuerySchema = z.object({
  startSeconds: z.coerce.number().min(0),
  endSeconds: z.coerce.number().positive(),
  maxHz: z.coerce.number().min(1000).max(24_000),
  columns: z.coerce.number().int().min(1).max(2048),
  rows: z.coerce.number().int().min(16).max(512),
});
export type SpectrogramQuery = z.infer<typeof spectrogramQuerySchema>;
