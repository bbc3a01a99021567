import { z } from 'zod';

/**
 * How often the words of confidence were right on recordings whose bird is known: counts, no opinions. A model's folder has it as
 * `confidence-evidence.json`, written by `npm run calibrate`.
 */

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const coefficientsSchema = z.strictObject({
  z: z.number(),
  meanMargin: z.number(),
  maxMargin: z.number(),
  nonBird: z.number(),
  gap: z.number(),
  bias: z.number(),
});
const coefficientSetsSchema = z.strictObject({ withoutPlace: coefficientsSchema, withPlace: coefficientsSchema });

/** How often a word was right: `right` of the `of` recordings whose first answer it was. */
export const wordEvidenceSchema = z.strictObject({
  word: z.enum(['veryLikely', 'likely', 'perhaps', 'notSure']),
  /** lowest confidence of the word; it reaches up to the next surer one's */
  fromConfidence: share,
  right: count,
  of: count,
});
export type WordEvidence = z.infer<typeof wordEvidenceSchema>;

/** A species, as the first answer for recordings with a word at all. */
export const speciesEvidenceSchema = z.strictObject({
  /** recordings whose first answer it was, with any word … */
  named: count,
  /** … and was rightly so */
  right: count,
  /** recordings of this species */
  recordings: count,
});
export type SpeciesEvidence = z.infer<typeof speciesEvidenceSchema>;

/** Recordings of one species whose first answer, with any word, was another. */
export const confusionSchema = z.strictObject({
  /** scientific names: what was said … */
  named: z.string(),
  /** … and what is heard; not always a species of the model */
  heard: z.string(),
  recordings: z.int().positive(),
});
export type Confusion = z.infer<typeof confusionSchema>;

/** Largest shares of the recordings that can be named so that 90 and 95 % of the names are right. */
const coverageSchema = z.strictObject({ at90: share, at95: share });

/** Figures of the first answers for a set of bird recordings; where the species has no class, every answer is wrong. */
export const confidenceFiguresSchema = z.strictObject({
  recordings: count,
  right: count,
  /** expected calibration error over ten bins of equal width */
  calibrationError: share,
  /** mean squared distance of confidence from what was so */
  brier: share,
  /** mean −ln of the chance that was given to what was so */
  logLoss: z.number().nonnegative(),
  coverage: coverageSchema,
});
export type ConfidenceFigures = z.infer<typeof confidenceFiguresSchema>;

const comparisonSchema = z.strictObject({
  /** split that neither set was fitted on, the published one not at all, the re-fit not its fold; null when that is so of all recordings */
  split: z.string().nullable(),
  published: confidenceFiguresSchema,
  refit: confidenceFiguresSchema,
  /** mean fall of the log loss from the published set to the re-fit, and its standard error over species */
  gain: z.number(),
  gainError: z.number().nonnegative(),
  /** the gain is more than twice its error, and the calibration error does not grow: only then the re-fit is to be used */
  better: z.boolean(),
});

const falseAlarmsSchema = z.array(z.strictObject({ fromConfidence: share, birds: count, perHour: z.number().nonnegative() }));

/** What was counted on one set of recordings. */
const countsSchema = z.strictObject({
  birds: count,
  species: count,
  /** of the birds: of species the model has no class for; whatever is said there is wrong */
  withoutClass: count,
  /** the surest word first */
  words: z.array(wordEvidenceSchema).length(4),
  figures: confidenceFiguresSchema,
  /** by the bare score instead of the confidence, on the same recordings */
  scoreCoverage: coverageSchema,
  /** recordings without a bird, their hours, and how many birds were named in them */
  birdFree: count,
  birdFreeHours: z.number().nonnegative(),
  falseAlarms: falseAlarmsSchema,
});
export type ConfidenceCounts = z.infer<typeof countsSchema>;

const detectionCoefficientsSchema = z.strictObject({
  logit: z.number(),
  shortPassage: z.number(),
  passage: z.number(),
  bias: z.number(),
});

/** Detections of a set of bird recordings: how sure each was, and whether it was right. */
const detectionCountsSchema = z.strictObject({
  /** recordings of birds that the model knows */
  birds: count,
  detections: count,
  right: count,
  /** Largest shares of the birds that are found so that 90 and 95 % of the detections are right: by score, passage or confidence. */
  found: z.strictObject({ score: coverageSchema, passage: coverageSchema, confidence: coverageSchema }),
  /** expected calibration error over ten bins of equal width */
  calibrationError: z.strictObject({ passage: share, confidence: share }),
  /** the surest word first */
  words: z.array(wordEvidenceSchema).length(4),
});
export type DetectionCounts = z.infer<typeof detectionCountsSchema>;

const detectionSamplesSchema = z.strictObject({
  separate: detectionCountsSchema,
  /** … each at a made-up place where its bird is met */
  atPlaces: detectionCountsSchema,
  /** An hour of recordings one after another, in several orders … */
  joined: z.array(detectionCountsSchema.extend({ seed: count })),
  /** … and their detections as one set: those of a single hour are too few for a calibration error. */
  joinedTogether: detectionCountsSchema.omit({ birds: true, found: true }),
});

/** The confidence of single detections, fitted to all splits but one. */
const detectionEvidenceSchema = z.strictObject({
  /** which was not fitted on */
  split: z.string(),
  method: z.strictObject({
    penalty: z.number().nonnegative(),
    birdFreeWeight: z.number().nonnegative(),
    seeds: z.array(count),
    seconds: count,
    longestPieceSeconds: count,
  }),
  coefficients: z.strictObject({ withoutPlace: detectionCoefficientsSchema, withPlace: detectionCoefficientsSchema }),
  /** on that split */
  tested: detectionSamplesSchema,
  /** on the others, each recording by a fit that has met neither its species nor its source */
  crossValidated: detectionSamplesSchema,
});

/** What knowing the place is worth, on recordings that are put into places by chance where the occurrence model has their bird. */
const placesEvidenceSchema = z.strictObject({
  simulated: z.literal(true),
  split: z.string().nullable(),
  seeds: z.array(count),
  /** occurrence from which on a species lives in a zone or town */
  livesAt: share,
  rows: z.array(
    z.strictObject({
      place: z.enum(['none', 'town', 'zoneStated', 'zoneAssumed', 'wrongZoneStated', 'wrongZoneAssumed']),
      answers: count,
      firstRight: count,
      /** first birds that are at least *perhaps* there and do not live in the place, without their region or with it */
      elsewhereUnsaid: count,
      elsewhereSaid: count,
      /** the surest word first */
      words: z.array(wordEvidenceSchema).length(4),
    }),
  ),
});

export const confidenceEvidenceSchema = z.strictObject({
  evidenceVersion: z.literal(1),
  model: z.strictObject({ id: z.string(), sha256 }),
  /** sha256 of the table of recordings */
  tableSha256: sha256,
  method: z.strictObject({
    folds: z.int().positive(),
    penalty: z.number().nonnegative(),
    claims: z.int().positive(),
    rounds: z.int().positive(),
    birdFreeWeight: z.number().nonnegative(),
    elsewhereWeight: z.number().nonnegative(),
  }),
  /** Which set of coefficients the calibration uses, without a place and with one. */
  inUse: z.strictObject({ withoutPlace: z.enum(['published', 'refit']), withPlace: z.enum(['published', 'refit']) }),
  coefficients: z.strictObject({ published: coefficientSetsSchema, refit: coefficientSetsSchema }),
  comparison: z.strictObject({ withoutPlace: comparisonSchema, withPlace: comparisonSchema }),
  /** By the set in use without a place, on recordings it was not fitted on: those of one split, or all of them out of their folds. */
  tested: countsSchema.extend({ split: z.string().nullable() }),
  /** Every recording, by a re-fit that has met neither its species nor its source. */
  crossValidated: countsSchema,
  /** null where no split was left out of the fit */
  detections: detectionEvidenceSchema.nullable().default(null),
  /** null where it was not counted */
  places: placesEvidenceSchema.nullable().default(null),
  /** A species that was named in fewer recordings is not listed: there are few tests for it. */
  minNamed: z.int().positive(),
  /** by scientific name, in alphabetical order; cross-validated over all recordings */
  species: z.record(z.string(), speciesEvidenceSchema),
  /** Every false first answer on the same recordings; empty where they were not kept. */
  confusions: z.array(confusionSchema).default([]),
});
export type ConfidenceEvidence = z.infer<typeof confidenceEvidenceSchema>;
