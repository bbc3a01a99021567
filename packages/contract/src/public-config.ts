import { z } from 'zod';
import { placeSchema } from './places.ts';
import { predictionSchema, wordThresholdsSchema } from './prediction.ts';

const blank = z.string().nullable();

/** What a deployment fills into the blanks of the terms at `/toc`; null until its operator sets it. The page shows every value as text. */
export const publicTermsSchema = z.object({
  businessName: blank,
  siteName: blank,
  /** ISO date */
  effectiveDate: blank,
  state: blank,
  county: blank,
  country: blank,
  /** Years after which a claim can no longer be brought. */
  disputeYears: blank,
  /** Days of negotiation before a dispute goes further. */
  negotiationDays: blank,
  /** Liability is limited to what was paid in this number of months before a claim … */
  liabilityMonths: blank,
  /** … and to this amount, with its currency. */
  liabilityAmount: blank,
  contactEmail: blank,
  contactAddress: blank,
  contactPhone: blank,
  /** Recipient of copyright notices. */
  copyrightAgent: blank,
});
export type PublicTerms = z.infer<typeof publicTermsSchema>;

/** Where most recordings of a deployment are made. */
export const defaultPlaceSchema = placeSchema.pick({ latitude: true, longitude: true, name: true });

/** Which program answers. */
const programVersionSchema = z.object({
  version: z.string(),
  /** The first digits of the commit's hash; null if it is not known. */
  commit: z.string().nullable(),
});

export const signUpSchema = z.enum(['open', 'invite', 'closed']);
export type SignUp = z.infer<typeof signUpSchema>;

/**
 * `GET /config.json`: what a page must know about its deployment before it requests anything else.
 *
 * Contains no secrets and nothing about a person. Fields may be added; pages ignore those they do not know.
 */
export const publicConfigSchema = z.object({
  /** Origin of the prediction API, without a trailing slash; empty: the page's own origin. */
  apiOrigin: z.string(),
  /** Predictions need no sign-in. */
  openPrediction: z.boolean(),
  /** The identity service of the page. */
  identity: z.object({
    mode: z.enum(['embedded', 'firebase', 'emulator']),
    /** Prefix of `/v1/accounts:…`, without a trailing slash; empty: the API's origin. */
    baseUrl: z.string(),
    /** The same for `/v1/token`. */
    tokenBaseUrl: z.string(),
    apiKey: z.string(),
    /** Whether emails (to reset a password or verify an address) can be sent. */
    mailAvailable: z.boolean(),
    /** Who may create an account: anyone, people with an invitation, or nobody. */
    signUp: signUpSchema,
  }),
  limits: z.object({
    maxUploadBytes: z.int().positive(),
    maxRecordingSeconds: z.number().positive(),
    minRecordingSeconds: z.number().positive(),
  }),
  /** What a file chooser offers: extensions with their dot, and media types. What a recording is depends on its content. */
  acceptedFormats: z.array(z.string()),
  /** Where most recordings of this deployment are made, according to its operator; the first place that the page offers. */
  defaultPlace: defaultPlaceSchema.nullable(),
  /** Days that audio is kept for people who choose so. */
  retentionDays: z.int().positive(),
  terms: publicTermsSchema,
  /** Changes with `terms`; empty while all blanks are. People agree to the version of the text and this. */
  termsFingerprint: z.string().max(32),
  /** Language of the interface for people whose browser requests none that it has; null: English. */
  defaultLanguage: z.string().nullable(),
  /** Whether the server has pictures of birds. */
  speciesPictures: z.boolean(),
  ...programVersionSchema.shape,
  /** Codes of the languages that have species names. */
  languages: z.array(z.string()),
  /** null while no model is installed. */
  model: predictionSchema.shape.model.extend({ words: wordThresholdsSchema }).nullable(),
});
export type PublicConfig = z.infer<typeof publicConfigSchema>;

/** `GET /healthz`: the process is alive. */
export const livenessSchema = z.object({ status: z.literal('ok'), ...programVersionSchema.shape });

/** `GET /readyz` when the server can analyse recordings; otherwise it returns the problem NOT_READY. */
export const readinessSchema = z.object({
  status: z.literal('ready'),
  model: z.literal(true),
  decoder: z.literal(true),
  storage: z.literal(true),
  /** whether new recordings are accepted now */
  accepts: z.boolean(),
  /** why they are not */
  refusals: z.array(z.string()),
});
