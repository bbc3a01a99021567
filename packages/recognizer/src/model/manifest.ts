import { z } from 'zod';

/**
 * The model manifest: everything that the recogniser needs to know about a model besides its weights.
 *
 * The core assumes no sample rate, clip length or coefficient; it reads them here. A model with another rate, activation or label
 * list (BirdNET+ V3.0, Perch v2) therefore needs a description, not code.
 */

const nonEmpty = z.string().min(1);
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** A graph in the model folder, and the file with its large weights: runtimes map it into memory, so that several sessions share one copy. */
const graphSchema = z.strictObject({
  file: nonEmpty,
  sha256: sha256Schema,
  weights: z.strictObject({ file: nonEmpty, sha256: sha256Schema }),
});

/** Inputs and outputs are found by name, and the last dimension of the logits must be the number of labels. */
const audioModelSchema = graphSchema.extend({
  /** Hz */
  sampleRate: z.int().positive(),
  /** samples of one clip */
  clipSamples: z.int().positive(),
  /** How samples must be normalised for the graph; `none`: the graph does its own scaling. */
  normalisation: z.enum(['none']),
  inputName: nonEmpty,
  logitsName: nonEmpty,
  embedding: z.strictObject({ name: nonEmpty, size: z.int().positive() }).nullable(),
  /** Converts outputs to scores. `none`: the outputs are scores already. */
  activation: z.enum(['sigmoid', 'softmax', 'none']),
});

const occurrenceModelSchema = graphSchema.extend({
  inputName: nonEmpty,
  scoresName: nonEmpty,
  /** The week number that means the whole year. */
  wholeYear: z.int(),
  /** Number of weeks in a year; they are numbered from 1. */
  weeks: z.int().positive(),
});

/** `σ(z·… + meanMargin·… + … + bias)`: recognition design, section 4. Unused coefficients are 0. */
const confidenceCoefficientsSchema = z.strictObject({
  z: z.number(),
  meanMargin: z.number(),
  maxMargin: z.number(),
  nonBird: z.number(),
  gap: z.number(),
  bias: z.number(),
});

/**
 * `σ(z·z + lead·meanMargin + nonBird·nonBird + sharedRange·ln(range) + bias)`, with `trail` instead of `lead` where the margin is
 * negative: a further bird may be heard beside a louder one. `range` is the share of the places of the other birds that it lives in.
 */
const furtherBirdCoefficientsSchema = z.strictObject({
  z: z.number(),
  lead: z.number(),
  trail: z.number(),
  nonBird: z.number(),
  sharedRange: z.number(),
  bias: z.number(),
});

/** `σ(logit·… + shortPassage·… + passage·… + bias)`: confidence of a detection, see `clip-run-confidence.ts`. */
const detectionCoefficientsSchema = z.strictObject({
  logit: z.number(),
  shortPassage: z.number(),
  passage: z.number(),
  bias: z.number(),
});

const rangeSchema = z.tuple([z.number(), z.number()]);

const calibrationSchema = z.strictObject({
  /** Sharpness of the log-mean-exp that pools clip scores, and how many of the best clips it pools. */
  pooling: z.strictObject({ alpha: z.number().positive(), bestClips: z.int().positive() }),
  /** A passage is `clips` consecutive clips; one begins every `every` clips. */
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
  /** How a bird is judged in a recording where another is surer; null: in the same way. */
  furtherBirds: z
    .strictObject({ withoutPlace: furtherBirdCoefficientsSchema, withPlace: furtherBirdCoefficientsSchema })
    .nullable(),
  /** null: a detection has the best confidence among the passages that it touches. */
  detections: z
    .strictObject({
      /** clips of the short passage around the loudest one */
      shortPassageClips: z.int().positive(),
      withoutPlace: detectionCoefficientsSchema,
      withPlace: detectionCoefficientsSchema,
    })
    .nullable(),
  /** Logit penalty of a rare species: `weight · ln(min(o, rare)/rare + floor)`. Below `hidden` it is hidden by location. */
  occurrence: z.strictObject({
    weight: z.number(),
    rare: z.number().positive(),
    floor: z.number().positive(),
    hidden: z.number().nonnegative(),
  }),
  /**
   * An assumed place is right with probability σ(bias + z · difference), where the difference is z of a passage's first bird with
   * the place minus that without it; if `right` is null, always. Every species keeps at least the share `withoutPlace` of its
   * confidence without a place. A species whose occurrence there is below `elsewhere` is marked as living elsewhere. null: the
   * model has no rule for assumed places.
   */
  assumedPlace: z
    .strictObject({
      right: z.strictObject({ bias: z.number(), z: z.number() }).nullable(),
      withoutPlace: z.number().min(0).max(1),
      elsewhere: z.number().nonnegative(),
    })
    .nullable(),
  /** Lowest confidence of each word. */
  words: z.strictObject({ veryLikely: z.number(), likely: z.number(), perhaps: z.number(), notSure: z.number() }),
  tie: z.strictObject({ difference: z.number(), minConfidence: z.number() }),
  genusShare: z.number(),
  otherSoundScore: z.number(),
});

/** in the folder of a model */
export const MANIFEST_FILE = 'manifest.json';

export const modelManifestSchema = z.strictObject({
  /** Version of this file format. */
  manifestVersion: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  name: nonEmpty,
  version: nonEmpty,
  licence: nonEmpty,
  attribution: nonEmpty,
  citation: nonEmpty,
  audio: audioModelSchema,
  /** The build of the audio model for browsers: the same inputs and outputs, with smaller weights. */
  webAudio: graphSchema,
  occurrence: occurrenceModelSchema.nullable(),
  labels: z.strictObject({
    file: nonEmpty,
    sha256: sha256Schema,
    /** `scientific_common`: one label per line, the scientific name before the first underscore. */
    format: z.enum(['scientific_common']),
    count: z.int().positive(),
    /** Labels of sounds that are not species (Engine, Noise …); they are shown as they are. */
    nonEvents: z.array(nonEmpty),
    /** A file of the labels that are not birds, including non-events: scientific names, one per line. */
    nonBirdsFile: nonEmpty,
    /** A folder with one file per language (`de.txt`, `en_uk.txt` …), each in the form and order of the labels file. */
    namesFolder: nonEmpty.optional(),
    /** Other names of species, a tab-separated table: the name, the label's name, `relation`. Lines that begin with # are comments. */
    aliasesFile: nonEmpty.optional(),
  }),
  defaults: z.strictObject({
    /** seconds between starts of clips */
    clipStepSeconds: z.number().positive(),
    /** A last, partly filled clip is kept if it has at least this much sound. */
    minTailSeconds: z.number().nonnegative(),
    minScore: z.number().min(0).max(1),
  }),
  calibration: calibrationSchema,
  /** A file about how often each word was right on recordings of known birds. The API contract defines its format. */
  evidenceFile: nonEmpty.optional(),
  /** Hashes of all other files that were installed, by their path within the folder. */
  files: z.record(nonEmpty, sha256Schema),
});

export type ModelManifest = z.infer<typeof modelManifestSchema>;

/** The files of an installed model with their hashes. */
export function hashedFiles({ audio, webAudio, occurrence, labels, files }: ModelManifest): ReadonlyMap<string, string> {
  const graphs = [audio, webAudio, ...(occurrence === null ? [] : [occurrence])];
  const named = [...graphs.flatMap((graph) => [graph, graph.weights]), labels];
  return new Map([...named.map(({ file, sha256 }) => [file, sha256] as const), ...Object.entries(files)]);
}

/** The manifest as a browser uses it: `audio` is the build for browsers. */
export const forBrowsers = (manifest: ModelManifest): ModelManifest => ({
  ...manifest,
  audio: { ...manifest.audio, ...manifest.webAudio },
});

export type Calibration = ModelManifest['calibration'];
