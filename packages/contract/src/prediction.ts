import { z } from 'zod';
import { correctionSchema } from './corrections.ts';

/**
 * The answer for one recording, as every program of ours and every caller of `POST /get_prediction` reads it.
 *
 * `score` is the model's own pooled score, comparable with other BirdNET programs; `confidence` is the calibrated number that
 * the words stand for. Place and date change confidence, ranking and what is hidden, never a score, and take no detection away.
 */

const unit = z.number().min(0).max(1);
const seconds = z.number().nonnegative();

export const confidenceWordSchema = z.enum(['veryLikely', 'likely', 'perhaps', 'notSure', 'none']);
export type ConfidenceWord = z.infer<typeof confidenceWordSchema>;

/** Lowest confidence of each word, from the model's manifest; below the last, no bird is named. */
export const wordThresholdsSchema = z.object({
  veryLikely: z.number(),
  likely: z.number(),
  perhaps: z.number(),
  notSure: z.number(),
});
export type WordThresholds = z.infer<typeof wordThresholdsSchema>;

export const verdictKindSchema = z.enum(['identified', 'several', 'unsure', 'noBird']);
export type VerdictKind = z.infer<typeof verdictKindSchema>;

export const candidateSchema = z.object({
  rank: z.int().positive(),
  scientificName: z.string(),
  commonName: z.string(),
  score: unit,
  confidence: unit,
  confidenceWord: confidenceWordSchema,
  /** Kept at this place and week, though rarely met there. */
  unusualHere: z.boolean(),
  /** How likely the species is at the place and week, 0–1; null without a place. */
  occurrence: unit.nullable(),
  /**
   * Where it lives, at most three: UN M49 area codes (`018`) or ISO country codes (`GB`), as `Intl.DisplayNames` names regions. Absent
   * where that is not known, and in answers of before it was told.
   */
  regions: z
    .array(z.string().regex(/^([0-9]{3}|[A-Z]{2})$/))
    .max(3)
    .optional(),
  /** Only at an assumed place. `elsewhere`: it is not expected there, so its regions have to be said with it. */
  assumed: z.enum(['here', 'elsewhere']).optional(),
  /** Where in the recording it is heard best. */
  best: z.object({ startSeconds: seconds, endSeconds: seconds }),
});
export type Candidate = z.infer<typeof candidateSchema>;

export const namedBirdSchema = candidateSchema.extend({
  /** Where in the recording it is first heard. */
  firstSeconds: seconds,
});
/** A bird that a verdict names. */
export type NamedBird = z.infer<typeof namedBirdSchema>;

/** A bird as a list names it. */
export const birdNameSchema = z.object({ scientificName: z.string(), commonName: z.string() });

export const detectionSchema = z.object({
  scientificName: z.string(),
  commonName: z.string(),
  startSeconds: seconds,
  endSeconds: seconds,
  score: unit,
  /** 0 when the place hides the species. */
  confidence: unit,
  /** How likely the species is at the place and week, 0–1; null without a place. Absent in answers of before it was told. */
  occurrence: unit.nullable().optional(),
  /** So improbable at the place and week that it is set aside. Absent in answers of before it was told: ask `isHidden`. */
  hidden: z.boolean().optional(),
});
export type Detection = z.infer<typeof detectionSchema>;

/** What is detected before the end; names no confidence yet. */
export const earlyDetectionSchema = detectionSchema.omit({ confidence: true, occurrence: true, hidden: true });
export type EarlyDetection = z.infer<typeof earlyDetectionSchema>;

export const otherSoundSchema = z.object({ label: z.string(), score: unit, startSeconds: seconds, endSeconds: seconds });
export type OtherSound = z.infer<typeof otherSoundSchema>;

/**
 * What the check-up of the recording found, by code; `share` is the part of the recording that it concerns. `docs/check-up.md` has the
 * rules.
 */
export const checkUpSchema = z.discriminatedUnion('code', [
  /** Ended before it said it would; `share` is what is missing, as far as the file tells. */
  z.object({ code: z.literal('ENDED_EARLY'), share: unit }),
  /** Digitally silent. */
  z.object({ code: z.literal('SILENT'), share: unit }),
  /** Tops of loud waves are cut off. */
  z.object({ code: z.literal('CLIPPED'), share: unit }),
  /** The loudest sample is this far below full scale (dB, negative). */
  z.object({ code: z.literal('QUIET'), share: unit, peakDecibels: z.number() }),
  /** Loud rumble: wind at the microphone, handling, traffic. */
  z.object({ code: z.literal('WIND'), share: unit }),
  /** Tones of mains power. */
  z.object({ code: z.literal('HUM'), share: unit, mainsHz: z.union([z.literal(50), z.literal(60)]) }),
  /** There is nothing above this frequency. */
  z.object({ code: z.literal('BAND_LIMITED'), share: unit, limitHz: z.number().positive() }),
  z.object({ code: z.literal('SPEECH_HEARD'), share: unit }),
  /** `label` is the model's own (Engine, Dog …), whatever the language of the names. */
  z.object({ code: z.literal('OTHER_SOUND_HEARD'), share: unit, label: z.string() }),
]);
export type CheckUp = z.infer<typeof checkUpSchema>;

export const recordingSchema = z.object({
  fileName: z.string().nullable(),
  sha256: z.string(),
  container: z.string(),
  codec: z.string(),
  durationSeconds: seconds,
  sampleRate: z.int().positive(),
  channels: z.int().positive(),
  /** The recording ended before it said it would; what could be decoded was analysed. */
  truncated: z.boolean(),
});
export type Recording = z.infer<typeof recordingSchema>;

/**
 * Where the place comes from: told by the person · read from the recording's file · assumed from the time zone of a device, which hides
 * nothing · there is none.
 */
export const placeSourceSchema = z.enum(['stated', 'file', 'assumed', 'none']);
export type PlaceSource = z.infer<typeof placeSourceSchema>;

export const conditionsSchema = z.object({
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
  /** Absent in answers of before it was told: a place was stated then, or there was none. */
  placeSource: placeSourceSchema.optional(),
  /** The time zone that the place was assumed from, by its present IANA name; null where none was. Absent in answers of before. */
  timeZone: z.string().nullable().optional(),
  /** 1–48, four a month; null means the whole year. */
  week: z.int().min(1).max(48).nullable(),
  /** The day that was told; null when none was, or a week. Absent in answers of before it was told. */
  date: z.iso.date().nullable().optional(),
  minScore: unit,
  /** seconds that neighbouring clips share */
  overlapSeconds: seconds,
  language: z.string(),
});
export type Conditions = z.infer<typeof conditionsSchema>;

/**
 * Detections that an answer of the server holds at most. Three hours that are as dense as the densest of 149 measured recordings have a quarter
 * of it; the lowest scores of overlapping clips have a hundred times as many.
 */
export const MOST_DETECTIONS = 20_000;

export const predictionSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  recording: recordingSchema,
  conditions: conditionsSchema,
  model: z.object({ id: z.string(), version: z.string(), sha256: z.string(), licence: z.string(), attribution: z.string() }),
  verdict: z.object({
    kind: verdictKindSchema,
    /** The first two are too close to call. */
    tied: z.boolean(),
    sentence: z.string(),
    /**
     * Every bird whose word is at least *perhaps*, and what the sentence is about where that is less sure, in the order in which they are
     * first heard. Older answers have only the names of what the sentence is about, or nothing: ask `namedBirds`.
     */
    named: z.array(z.union([namedBirdSchema, birdNameSchema])).optional(),
    genus: z.string().nullable(),
    /** What it sounds like, when that species is not expected at the place and week. */
    notExpectedHere: candidateSchema.nullable(),
  }),
  candidates: z.array(candidateSchema),
  /** By time, at most 20,000: of more, the best of each species in each minute first. */
  detections: z.array(detectionSchema),
  /** How many detections there are besides; absent when none were left out. Tables of the stored prediction have all of them. */
  detectionsLeftOut: z.int().positive().optional(),
  hiddenByLocation: z.array(candidateSchema),
  otherSounds: z.array(otherSoundSchema),
  checkUp: z.array(checkUpSchema),
  /** What its owner has said about its birds, by scientific name; absent when nothing was said. */
  corrections: z.array(correctionSchema).optional(),
  timings: z.object({
    decodeMs: z.number().nonnegative(),
    inferenceMs: z.number().nonnegative(),
    totalMs: z.number().nonnegative(),
  }),
});
export type Prediction = z.infer<typeof predictionSchema>;
