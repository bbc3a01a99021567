import { z } from 'zod';

/**
 * The model manifest: everything the recogniser needs to know of a model that is not in its weights.
 *
 * Numbers travel with the model. The core never assumes a sample rate, a clip length or a coefficient; it reads them here, so
 * that models with another rate, another activation or another label list (BirdNET+ V3.0, Perch v2) are described, not coded.
 */

const nonEmpty = z.string().min(1);
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** A file beside a graph's that holds its large weights: runtimes map it into memory, so that several sessions share one copy. */
const weightsSchema = z.strictObject({ file: nonEmpty, sha256: sha256Schema }).optional();

/** A graph file of the model folder. Outputs are found by these names, and their last dimension must fit. */
const audioModelSchema = z.strictObject({
  file: nonEmpty,
  sha256: sha256Schema,
  weights: weightsSchema,
  /** Hz */
  sampleRate: z.int().positive(),
  /** samples of one clip */
  clipSamples: z.int().positive(),
  /** What must be done to the samples before the graph sees them; `none` means the graph scales for itself. */
  normalisation: z.enum(['none']),
  inputName: nonEmpty,
  logitsName: nonEmpty,
  embedding: z.strictObject({ name: nonEmpty, size: z.int().positive() }).nullable(),
  /** What turns an output into a score. `none`: the graph's output is a score already. */
  activation: z.enum(['sigmoid', 'softmax', 'none']),
});

const occurrenceModelSchema = z.strictObject({
  file: nonEmpty,
  sha256: sha256Schema,
  weights: weightsSchema,
  inputName: nonEmpty,
  scoresName: nonEmpty,
  /** The week that stands for the whole year. */
  wholeYear: z.int(),
  /** Weeks of a year, numbered from 1. */
  weeks: z.int().positive(),
});

/** `σ(z·… + meanMargin·… + … + bias)`: recognition section 4. Coefficients a place does not use are 0. */
const confidenceCoefficientsSchema = z.strictObject({
  z: z.number(),
  meanMargin: z.number(),
  maxMargin: z.number(),
  nonBird: z.number(),
  gap: z.number(),
  bias: z.number(),
});

/** `σ(logit·… + shortPassage·… + passage·… + bias)`: confidence of a detection, see `run-confidence.ts`. */
const detectionCoefficientsSchema = z.strictObject({
  logit: z.number(),
  shortPassage: z.number(),
  passage: z.number(),
  bias: z.number(),
});
export type DetectionCoefficients = z.infer<typeof detectionCoefficientsSchema>;

const rangeSchema = z.tuple([z.number(), z.number()]);

const calibrationSchema = z.strictObject({
  /** Sharpness of the log-mean-exp that pools clip scores, and over how many of the best clips. */
  pooling: z.strictObject({ alpha: z.number().positive(), bestClips: z.int().positive() }),
  /** A passage is `clips` consecutive clips, one every `every` clips. */
  passages: z.strictObject({ clips: z.int().positive(), every: z.int().positive() }),
  /** Ranges that the confidence's inputs are clipped to. `score` is clipped before its log-odds are taken. */
  clipping: z.strictObject({
    score: rangeSchema,
    meanMargin: rangeSchema,
    maxMargin: rangeSchema,
    nonBird: rangeSchema,
    gap: rangeSchema,
  }),
  confidence: z.strictObject({
    withoutPlace: confidenceCoefficientsSchema,
    withPlace: confidenceCoefficientsSchema,
  }),
  /** null: a detection has the best confidence among the passages that it touches. */
  detections: z
    .strictObject({
      /** clips around the loudest one that are a short passage */
      shortPassageClips: z.int().positive(),
      withoutPlace: detectionCoefficientsSchema,
      withPlace: detectionCoefficientsSchema,
    })
    .nullable()
    .default(null),
  /** Logit penalty of a rare species: `weight · ln(min(o, rare)/rare + floor)`, below `hidden` it is hidden by location. */
  occurrence: z.strictObject({
    weight: z.number(),
    rare: z.number().positive(),
    floor: z.number().positive(),
    hidden: z.number().nonnegative(),
  }),
  /**
   * A place that is only assumed is right with the chance σ(bias + z · difference), the difference that of z of a passage's first bird with
   * the place and without; `right` null: always. It leaves every species at least the part `withoutPlace` of its confidence without a place;
   * one whose occurrence there is below `elsewhere` is told with where it lives. null: nothing is known of assumed places.
   */
  assumedPlace: z
    .strictObject({
      right: z.strictObject({ bias: z.number(), z: z.number() }).nullable().default(null),
      withoutPlace: z.number().min(0).max(1),
      elsewhere: z.number().nonnegative(),
    })
    .nullable()
    .default(null),
  /** Lowest confidence of each word, and of what else depends on confidence. */
  words: z.strictObject({ veryLikely: z.number(), likely: z.number(), perhaps: z.number(), notSure: z.number() }),
  tie: z.strictObject({ difference: z.number(), minConfidence: z.number() }),
  genusShare: z.number(),
  otherSoundScore: z.number(),
});

export const modelManifestSchema = z.strictObject({
  /** Version of this file's form. */
  manifestVersion: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  name: nonEmpty,
  version: nonEmpty,
  licence: nonEmpty,
  attribution: nonEmpty,
  citation: nonEmpty,
  audio: audioModelSchema,
  occurrence: occurrenceModelSchema.nullable(),
  labels: z.strictObject({
    file: nonEmpty,
    sha256: sha256Schema,
    /** `scientific_common`: one label a line, the scientific name before the first underscore. */
    format: z.enum(['scientific_common']),
    count: z.int().positive(),
    /** Labels that are sounds, not living things (Engine, Noise …): their label is shown as it is. */
    nonEvents: z.array(nonEmpty),
    /** Labels that are no birds, the non-events included: a file of scientific names, one a line. */
    nonBirdsFile: nonEmpty,
    /** A folder with one file a language (`de.txt`, `en_uk.txt` …), each like the labels file and in its order. */
    namesFolder: nonEmpty.optional(),
    /** Other names of the species: a table `name`, the name among the labels, `relation`; lines that begin with # are comments. */
    aliasesFile: nonEmpty.optional(),
  }),
  defaults: z.strictObject({
    /** seconds between starts of clips */
    clipStepSeconds: z.number().positive(),
    /** A last clip is kept when at least this much sound remains for it. */
    minTailSeconds: z.number().nonnegative(),
    minScore: z.number().min(0).max(1),
  }),
  calibration: calibrationSchema,
  /** How often the calibration's words were right on recordings whose bird is known; the contract has its form. */
  evidenceFile: nonEmpty.optional(),
});

export type ModelManifest = z.infer<typeof modelManifestSchema>;
export type Calibration = ModelManifest['calibration'];
