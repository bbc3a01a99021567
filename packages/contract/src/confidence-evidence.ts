import { z } from 'zod';

/**
 * How often the words of confidence were right on recordings whose bird is known: counts only, no judgement. Each model's folder contains
 * it as `confidence-evidence.json`, written by `npm run calibrate`.
 */

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** How often a word was right: `right` of the `of` answers that had it. Older evidence has only these counts. */
export const wordEvidenceSchema = z.strictObject({
  word: z.enum(['veryLikely', 'likely', 'perhaps', 'notSure']),
  /** The range of the word: its lowest confidence … */
  fromConfidence: share,
  /** … and that of the next surer word, or 1. */
  toConfidence: share.optional(),
  right: count,
  of: count,
  /** right / of with its 90 % interval; null if there is no answer with the word */
  share: z
    .strictObject({
      value: share,
      low: share,
      high: share,
      /** The number of independent answers that say as much: several answers about one recording are alike. */
      independent: z.number().nonnegative(),
    })
    .nullable()
    .optional(),
});
export type WordEvidence = z.infer<typeof wordEvidenceSchema>;
/** highest confidence first */
const wordsSchema = z.array(wordEvidenceSchema).length(4);

/** Results for one species, over recordings whose first answer has any word. */
export const speciesEvidenceSchema = z.strictObject({
  /** recordings whose first answer, with any word, was this species … */
  named: count,
  /** … and was right */
  right: count,
  /** recordings of this species */
  recordings: count,
});
export type SpeciesEvidence = z.infer<typeof speciesEvidenceSchema>;

/** Recordings of one species whose first answer, with any word, was another. */
export const confusionSchema = z.strictObject({
  /** scientific names: the answer … */
  named: z.string(),
  /** … and the true species, which the model may not know */
  heard: z.string(),
  recordings: z.int().positive(),
});
export type Confusion = z.infer<typeof confusionSchema>;

/** The largest shares of the recordings that can be named with 90 and 95 % of the names right. */
const coverageSchema = z.strictObject({ at90: share, at95: share });

/** Figures of the first answers for a set of bird recordings; every answer for a species without a class is wrong. */
export const confidenceFiguresSchema = z.strictObject({
  recordings: count,
  right: count,
  /** expected calibration error over ten bins of equal width */
  calibrationError: share,
  /** mean squared difference between confidence and outcome */
  brier: share,
  /** mean −ln of the probability given to the outcome */
  logLoss: z.number().nonnegative(),
  coverage: coverageSchema,
});
export type ConfidenceFigures = z.infer<typeof confidenceFiguresSchema>;

const falseAlarmsSchema = z.array(z.strictObject({ fromConfidence: share, birds: count, perHour: z.number().nonnegative() }));

/** Counts on one set of recordings. */
const countsSchema = z.strictObject({
  birds: count,
  species: count,
  /** of the birds: those of species without a class in the model; every answer is wrong */
  withoutClass: count,
  words: wordsSchema,
  figures: confidenceFiguresSchema,
  /** ranked by the plain score instead of the confidence, on the same recordings */
  scoreCoverage: coverageSchema,
  /** recordings without a bird, their hours, and the number of birds named in them */
  birdFree: count,
  birdFreeHours: z.number().nonnegative(),
  falseAlarms: falseAlarmsSchema,
});
export type ConfidenceCounts = z.infer<typeof countsSchema>;

/** How often the words were right in scenes of two to six birds, put together from recordings of one bird each. */
const scenesEvidenceSchema = z.strictObject({
  /** draws the scenes */
  seed: count,
  rows: z.array(
    z.strictObject({
      place: z.enum(['none', 'town', 'zoneAssumed']),
      words: wordsSchema,
    }),
  ),
});

/** The value of knowing the place, on recordings that are put at random places where the occurrence model has their bird. */
const placesEvidenceSchema = z.strictObject({
  simulated: z.literal(true),
  split: z.string().nullable(),
  seeds: z.array(count),
  /** lowest occurrence at which a species lives in a zone or town */
  livesAt: share,
  rows: z.array(
    z.strictObject({
      place: z.enum(['none', 'town', 'zoneStated', 'zoneAssumed', 'wrongZoneStated', 'wrongZoneAssumed']),
      answers: count,
      firstRight: count,
      /** first birds that are at least *perhaps* there and do not live at the place, shown without their region or with it */
      elsewhereUnsaid: count,
      elsewhereSaid: count,
      words: wordsSchema,
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
  /** Results of the coefficients in use without a place, on the split that they were not fitted to; null: on all recordings. */
  tested: countsSchema.extend({ split: z.string().nullable() }),
  /** Every recording, with a re-fit that used neither its species nor its source. */
  crossValidated: countsSchema,
  /** null if not counted */
  places: placesEvidenceSchema.nullable(),
  /** null if not counted */
  scenes: scenesEvidenceSchema.nullable(),
  /** Species named in fewer recordings are not listed, as there are too few tests of them. */
  minNamed: z.int().positive(),
  /** by scientific name, in alphabetical order; cross-validated over all recordings */
  species: z.record(z.string(), speciesEvidenceSchema),
  /** Every wrong first answer on the same recordings; empty if they were not stored. */
  confusions: z.array(confusionSchema),
});
export type ConfidenceEvidence = z.infer<typeof confidenceEvidenceSchema>;
