import { z } from 'zod';
import { KEEP_AUDIO_CHOICES } from './keep-audio.ts';
import { listedPlaceSchema } from './places.ts';
import { birdNameSchema, earlyDetectionSchema, predictionSchema } from './prediction.ts';
import { problemBodySchema } from './problem-body.ts';

/** `/v1/predictions…`: the predictions of an account, in progress and answered. Every id may also be the request's idempotency key. */

export const keepAudioSchema = z.enum(KEEP_AUDIO_CHOICES);

/** An excerpt that was kept: from `startSeconds` to `endSeconds` of the recording; it starts at `offsetSeconds` of the kept audio. */
export const keptMomentSchema = z.object({
  startSeconds: z.number().nonnegative(),
  endSeconds: z.number().nonnegative(),
  offsetSeconds: z.number().nonnegative(),
});
export type KeptMoment = z.infer<typeof keptMomentSchema>;

/** Audio of a recording that can be played and shown, and until when. */
export const keptAudioSchema = z.object({
  kind: z.enum(['moments', 'recording']),
  /** ISO instant when it is deleted. */
  keptUntil: z.iso.datetime(),
  /** For a whole recording: its excerpts are kept longer, until then; absent if there are none. */
  momentsKeptUntil: z.iso.datetime().optional(),
  /** The parts of the recording that are kept, in order and not touching; absent if all of it is. */
  moments: z.array(keptMomentSchema).optional(),
});
export type KeptAudio = z.infer<typeof keptAudioSchema>;

/** A recording without an answer yet. */
export const predictionInWorkSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  fileName: z.string().nullable(),
  /** `queued`: waiting for its turn · `listening`: being decoded and analysed. */
  stage: z.enum(['queued', 'listening']),
  /** Share of the recording that has been analysed, 0–1; null while unknown. */
  fraction: z.number().min(0).max(1).nullable(),
  /** Whether it is waiting because other recordings are being analysed; never true while it is analysed itself. */
  behindOthers: z.boolean(),
});
export type PredictionInWork = z.infer<typeof predictionInWorkSchema>;

/** A recording that could not be analysed. Kept for a day, as the page may have been closed or be open on another device. */
export const failedPredictionSchema = predictionInWorkSchema
  .pick({ id: true, createdAt: true, fileName: true })
  .extend({ problem: problemBodySchema });
export type FailedPrediction = z.infer<typeof failedPredictionSchema>;

/** One line of the history: enough to list a prediction without opening it. */
export const predictionSummarySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  fileName: z.string().nullable(),
  durationSeconds: z.number().nonnegative(),
  /** The day stated with the recording; null if none was. */
  recordedOn: z.iso.date().nullable(),
  /** The place stated with the recording; null if none was. */
  place: listedPlaceSchema.nullable(),
  /**
   * `named`: the names of the verdict's birds, in its order. `tiedBirds`: the two that are too close to call, likeliest first; absent
   * without a tie. `elsewhere`: the bird of the sentence if it is not expected at the assumed place, and so counts only once confirmed.
   */
  verdict: predictionSchema.shape.verdict.pick({ kind: true, tied: true, sentence: true }).extend({
    named: z.array(birdNameSchema),
    tiedBirds: z.array(birdNameSchema).optional(),
    elsewhere: birdNameSchema.optional(),
  }),
  /** Birds whose word is at least `perhaps`, highest confidence first, but only those of `countedBirds`: no others count in lists. */
  species: z.array(z.object({ scientificName: z.string(), commonName: z.string(), confidence: z.number().min(0).max(1) })),
  /** The owner's reviews; absent if there are none. */
  reviews: predictionSchema.shape.reviews,
  keptAudio: keptAudioSchema.nullable(),
});
export type PredictionSummary = z.infer<typeof predictionSummarySchema>;

/**
 * `GET /v1/predictions`: newest first. `cursor` requests the next page; null at the end. Recordings in progress and those that failed are
 * on the first page only.
 */
export const predictionListSchema = z.object({
  inWork: z.array(predictionInWorkSchema),
  failed: z.array(failedPredictionSchema),
  predictions: z.array(predictionSummarySchema),
  cursor: z.string().nullable(),
});
export type PredictionList = z.infer<typeof predictionListSchema>;

const flagInQuery = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

/**
 * The query of `GET /v1/predictions`. `search` finds words in species names (as stored, and in the requested `language`) and in file names.
 * The other fields narrow the list: to recordings with a species, of the days `from` to `to`, within some 25 km of a place, with a
 * confirmed bird, or of one file.
 */
export const predictionListQuerySchema = z
  .object({
    language: z.string().max(35).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().max(200).optional(),
    search: z.string().max(200).optional(),
    /** scientific name */
    species: z.string().max(200).optional(),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    latitude: z.coerce.number().min(-90).max(90).optional(),
    longitude: z.coerce.number().min(-180).max(180).optional(),
    /** Only predictions with a bird that was confirmed, added or corrected to another. */
    confirmed: flagInQuery,
    /** of the file as sent, in hexadecimal digits */
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
 * `GET /v1/predictions/days`: the number of answers for recordings of each day, latest first. The day is the one stated with the recording,
 * else the day it was sent (UTC).
 */
export const predictionDaysSchema = z.object({
  days: z.array(z.object({ day: z.iso.date(), predictions: z.int().positive() })),
});
export type PredictionDays = z.infer<typeof predictionDaysSchema>;

/** `DELETE` of one prediction or all: work in progress is cancelled for good, answers can be restored for a while. */
export const predictionsDeletedSchema = z.object({
  deleted: z.int().nonnegative(),
  /** ISO instant until which `POST …/restore` can undo it; null if nothing can be restored. */
  restorableUntil: z.iso.datetime().nullable(),
});

/** `POST /v1/predictions/:id/restore`, `POST /v1/predictions/restore` (everything that can still be restored). */
export const predictionsRestoredSchema = z.object({ restored: z.int().nonnegative() });

/**
 * Options of both exports: birds hidden by the place are left out unless `showHidden`; with `excelSafe`, names that a spreadsheet would run
 * as a formula become text in CSV files.
 */
export const exportAllQuerySchema = z.object({
  showHidden: flagInQuery,
  excelSafe: flagInQuery,
  ticket: z.string().max(2000).optional(),
});

export const exportFormatSchema = z.enum(['csv', 'raven', 'audacity', 'json']);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

/**
 * The query of `GET /v1/predictions/:id/events`. A client that has just sent a recording may request its events before the server knows of
 * it, and states how many seconds to wait for it. Absent: an unknown id gives 404 at once.
 */
export const eventsQuerySchema = z.object({ wait: z.coerce.number().int().min(0).max(30).default(0) });

/** The query of `GET /v1/predictions/:id/export`. */
export const exportQuerySchema = exportAllQuerySchema.extend({ format: exportFormatSchema });

/** How often an account has heard a bird of `verdict.named`, in the order of the days of its recordings. */
export const heardBeforeSchema = z.object({
  scientificName: z.string(),
  /** recordings with it in the calendar year of this one, up to this one; rejected birds and those of a tie do not count */
  timesThisYear: z.int().nonnegative(),
  /** day of the last recording with it before this one, or on which an imported bird was found; null if there is none */
  lastHeardOn: z.iso.date().nullable(),
});
export type HeardBefore = z.infer<typeof heardBeforeSchema>;

/** `GET /v1/predictions/:id`: the answer, or the progress. */
export const storedPredictionSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('inWork'), work: predictionInWorkSchema }),
  z.object({
    state: z.literal('done'),
    prediction: predictionSchema,
    keptAudio: keptAudioSchema.nullable(),
    /** Its conditions have been changed since the first answer, which `DELETE …/conditions` restores. Absent: no. */
    conditionsChanged: z.boolean().optional(),
    /** Absent in what a page keeps. */
    heardBefore: z.array(heardBeforeSchema).optional(),
    /** As in a list's place. */
    town: listedPlaceSchema.shape.town,
  }),
  z.object({ state: z.literal('failed'), problem: problemBodySchema }),
]);
export type StoredPrediction = z.infer<typeof storedPredictionSchema>;

/** `GET /v1/predictions/:id/events`: server-sent events; the event's name is `type`, its data the other fields as JSON. */
export const predictionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    ...predictionInWorkSchema.pick({ stage: true, fraction: true, behindOthers: true }).shape,
    /** Detections so far. */
    detections: z.array(earlyDetectionSchema),
  }),
  z.object({ type: z.literal('done'), prediction: predictionSchema }),
  z.object({ type: z.literal('failed'), problem: problemBodySchema }),
]);
export type PredictionEvent = z.infer<typeof predictionEventSchema>;

/**
 * `POST /v1/predictions/:id/ticket`: a URL for elements of a page, which cannot send a header. `POST /v1/predictions/ticket` gives one for
 * `GET /v1/predictions/export`, without a purpose.
 */
export const ticketBodySchema = z.strictObject({ purpose: z.enum(['audio', 'export']) });
export const ticketSchema = z.object({ url: z.string(), expiresAt: z.iso.datetime() });
export type Ticket = z.infer<typeof ticketSchema>;

/**
 * `GET /v1/predictions/:id/spectrogram?startSeconds&endSeconds&maxHz&columns&rows`: levels of a part of kept audio as bytes
 * (`application/octet-stream`), column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. The scale is the
 * same for the whole recording.
 */
export const spectrogramQuerySchema = z.object({
  startSeconds: z.coerce.number().min(0),
  endSeconds: z.coerce.number().positive(),
  maxHz: z.coerce.number().min(1000).max(24_000),
  columns: z.coerce.number().int().min(1).max(2048),
  rows: z.coerce.number().int().min(16).max(512),
});
export type SpectrogramQuery = z.infer<typeof spectrogramQuerySchema>;
