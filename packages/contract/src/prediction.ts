import { z } from 'zod';
import { birdReviewSchema } from './bird-reviews.ts';

/**
 * The answer for one recording, as read by all our programs and by every caller of `POST /get_prediction`.
 *
 * `score` is the model's own pooled score, comparable with other BirdNET programs; `confidence` is the calibrated number behind the words.
 * Place and date change confidence, ranking and what is hidden; they never change a score or remove a detection.
 */

const unit = z.number().min(0).max(1);
const seconds = z.number().nonnegative();

export const confidenceWordSchema = z.enum(['veryLikely', 'likely', 'perhaps', 'notSure', 'none']);
export type ConfidenceWord = z.infer<typeof confidenceWordSchema>;

/** Lowest confidence of each word, from the model's manifest; below the lowest, no bird is named. */
export const wordThresholdsSchema = z.object({
  veryLikely: z.number(),
  likely: z.number(),
  perhaps: z.number(),
  notSure: z.number(),
});
export type WordThresholds = z.infer<typeof wordThresholdsSchema>;

/**
 * What a birder would say about a species at a stated place and week: expected · seldom reported, because it is scarce, there in another
 * season or hard to notice, like a bird of the night · not known from within 300 km, or only from beyond the edge of its range.
 */
export const occurrenceWordSchema = z.enum(['expected', 'seldomReported', 'notKnown']);
export type OccurrenceWord = z.infer<typeof occurrenceWordSchema>;

export const verdictKindSchema = z.enum(['identified', 'several', 'unsure', 'noBird']);
export type VerdictKind = z.infer<typeof verdictKindSchema>;

/** Names of a bird, for lists. */
export const birdNameSchema = z.object({ scientificName: z.string(), commonName: z.string() });

export const candidateSchema = z.object({
  rank: z.int().positive(),
  ...birdNameSchema.shape,
  score: unit,
  confidence: unit,
  confidenceWord: confidenceWordSchema,
  /** Not hidden at this place and week, but rare there. */
  unusualHere: z.boolean(),
  /** How likely the species is at the place and week, 0–1; null without a place. */
  occurrence: unit.nullable(),
  /** Absent without a stated place, and where it is not known. */
  occurrenceWord: occurrenceWordSchema.optional(),
  /**
   * Where it lives, at most five: UN M49 area codes (`018`) or ISO country codes (`GB`), as `Intl.DisplayNames` takes them. Absent where
   * unknown.
   */
  regions: z
    .array(z.string().regex(/^([0-9]{3}|[A-Z]{2})$/))
    .max(5)
    .optional(),
  /** Only with an assumed place. `elsewhere`: not expected there, so it counts only if a person confirms it (see `isFound`). */
  assumed: z.enum(['here', 'elsewhere']).optional(),
  /** The part of the recording with its best score. */
  best: z.object({ startSeconds: seconds, endSeconds: seconds }),
});
export type Candidate = z.infer<typeof candidateSchema>;

export const namedBirdSchema = candidateSchema.extend({
  /** When it is first heard, in seconds of the recording. */
  firstSeconds: seconds,
});
/** A bird named by a verdict. */
export type NamedBird = z.infer<typeof namedBirdSchema>;

export const namedEntrySchema = namedBirdSchema.extend({
  /** The other of two birds that are too close to call. */
  tiedWith: namedBirdSchema.optional(),
});
/** An entry of `verdict.named`: one bird, or two that are too close to call. */
export type NamedEntry = z.infer<typeof namedEntrySchema>;

/** A bird that the first one is easily taken for. */
export const lookAlikeSchema = z.object({
  ...birdNameSchema.shape,
  /**
   * `confusedInTests`: three test recordings or more of one of the two were called the other. `soundsAlike`: the passage where the first
   * bird is surest sounds like it next.
   */
  reason: z.enum(['confusedInTests', 'soundsAlike']),
  /** Test recordings in which the two were confused. Only with `confusedInTests`. */
  recordings: z.int().positive().optional(),
  /** In that passage, and its loudest clip there. Only with `soundsAlike`. */
  confidence: unit.optional(),
  best: z.object({ startSeconds: seconds, endSeconds: seconds }).optional(),
  occurrence: unit.nullable(),
  occurrenceWord: occurrenceWordSchema.optional(),
});
export type LookAlike = z.infer<typeof lookAlikeSchema>;

export const detectionSchema = z.object({
  ...birdNameSchema.shape,
  startSeconds: seconds,
  endSeconds: seconds,
  score: unit,
  /** 0 if a stated place hides the species. */
  confidence: unit,
  /** How likely the species is at the place and week, 0–1; null without a place. */
  occurrence: unit.nullable(),
  /** So unlikely at the place and week that it is hidden; at an assumed place, a bird from elsewhere. */
  hidden: z.boolean(),
  /** Not a bird, only on request: another animal, or another sound, such as an engine. Their confidence is unknown, and 0 here. */
  kind: z.enum(['animal', 'sound']).optional(),
});
export type Detection = z.infer<typeof detectionSchema>;

/** A detection before the end of the analysis, without confidence. */
export const earlyDetectionSchema = detectionSchema.omit({ confidence: true, occurrence: true, hidden: true }).extend({
  /** Of the bird, not of this detection, in what has been analysed so far. It does not fall. Absent while it is not known. */
  confidenceWord: confidenceWordSchema.optional(),
});
export type EarlyDetection = z.infer<typeof earlyDetectionSchema>;

export const otherSoundSchema = z.object({ label: z.string(), score: unit, startSeconds: seconds, endSeconds: seconds });
export type OtherSound = z.infer<typeof otherSoundSchema>;

/** What there is to know of a file and its header, by code: no fault of the sound. */
export const fileNotes = [
  /** The first track that can be heard was analysed. */
  'SEVERAL_TRACKS',
  /** The samples are not where, or not as many as, the header says; they were read to their end. */
  'WRONG_HEADER',
  /** An AudioMoth left out quiet parts, which count as silence. */
  'TRIGGERED',
  /** An AudioMoth left out quiet parts, by the name, but where is not known. */
  'NOT_EXPANDED',
  /** Header and name give days far apart; that in the name is taken as right. */
  'DAY_OF_NAME',
  /** The same; that in the header is taken as right. */
  'DAY_OF_HEADER',
  /** The day is before 2005 or in the future. */
  'DAY_DOUBTFUL',
] as const;
export type FileNote = (typeof fileNotes)[number];

/** A finding of the check-up, by code; `share` is the part of the recording it applies to. `docs/check-up.md` has the rules. */
export const checkUpSchema = z.discriminatedUnion('code', [
  /** The recording ends before its stated end; `share` is what is missing, as far as the file says. */
  z.object({ code: z.literal('ENDED_EARLY'), share: unit }),
  /** Digitally silent. */
  z.object({ code: z.literal('SILENT'), share: unit }),
  /** Nothing but steady noise: hiss, hum, a recorder's own. */
  z.object({ code: z.literal('STEADY_NOISE'), share: unit }),
  /** The peaks of loud waves are missing. */
  z.object({ code: z.literal('CLIPPED'), share: unit }),
  /** `peakDecibels`: level of the loudest sample relative to full scale (dB, negative). */
  z.object({ code: z.literal('QUIET'), share: unit, peakDecibels: z.number() }),
  /** Loud rumble: wind at the microphone, handling, traffic. */
  z.object({ code: z.literal('WIND'), share: unit }),
  /** Hum of mains power. */
  z.object({ code: z.literal('HUM'), share: unit, mainsHz: z.union([z.literal(50), z.literal(60)]) }),
  /** There is nothing above `limitHz`. */
  z.object({ code: z.literal('BAND_LIMITED'), share: unit, limitHz: z.number().positive() }),
  z.object({ code: z.literal('SPEECH_HEARD'), share: unit }),
  /** `label` is the model's own (Engine, Dog …), whatever the language of the names. */
  z.object({ code: z.literal('OTHER_SOUND_HEARD'), share: unit, label: z.string() }),
  z.object({ code: z.enum(fileNotes), share: unit }),
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
  /** The recording ended before its stated end; what could be decoded was analysed. */
  truncated: z.boolean(),
});
export type Recording = z.infer<typeof recordingSchema>;

/**
 * Where the place comes from: stated by the person · read from the recording's file · assumed from the time zone of a device · none.
 */
export const placeSourceSchema = z.enum(['stated', 'file', 'assumed', 'none']);

export const conditionsSchema = z.object({
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
  placeSource: placeSourceSchema,
  /** The time zone that the place was assumed from, by its current IANA name; null if none was. */
  timeZone: z.string().nullable(),
  /** 1–48, four a month; null: the whole year. */
  week: z.int().min(1).max(48).nullable(),
  /** The stated day; null if none was, or only a week. */
  date: z.iso.date().nullable(),
  minScore: unit,
  /** overlap of neighbouring clips in seconds */
  overlapSeconds: seconds,
  language: z.string(),
});
export type Conditions = z.infer<typeof conditionsSchema>;

/**
 * Maximum number of detections in an answer of the server. Three hours as dense as the densest of 149 measured recordings have a quarter of
 * it; the lowest minimum score with overlapping clips gives a hundred times as many.
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
     * Every bird whose word is at least *perhaps*, and those of the sentence even if they are less sure: *likely* ones first, then *perhaps*,
     * then the rest, each group in the order first heard. Two that are tied are one entry; `namedBirds` lists them apart. A bird from elsewhere
     * is at most that of the sentence, as a question.
     */
    named: z.array(namedEntrySchema),
    genus: z.string().nullable(),
    /** The species it sounds like, if that is not expected at the place and week. */
    notExpectedHere: candidateSchema.nullable(),
    /** What the first bird is easily taken for, if it is less than *likely*, seldom reported or not known from here. Never with a tie. */
    lookAlike: lookAlikeSchema.optional(),
  }),
  candidates: z.array(candidateSchema),
  /** By time, at most 20,000: if there are more, the best of each species in each minute first. */
  detections: z.array(detectionSchema),
  /** Number of detections left out; absent if none were. Tables of the stored prediction contain all of them. */
  detectionsLeftOut: z.int().positive().optional(),
  hiddenByLocation: z.array(candidateSchema),
  otherSounds: z.array(otherSoundSchema),
  checkUp: z.array(checkUpSchema),
  /** The owner's reviews, by scientific name; absent if there are none. */
  reviews: z.array(birdReviewSchema).optional(),
  timings: z.object({
    decodeMs: z.number().nonnegative(),
    inferenceMs: z.number().nonnegative(),
    totalMs: z.number().nonnegative(),
  }),
});
export type Prediction = z.infer<typeof predictionSchema>;
