import { z } from 'zod';
import { wordThresholdsSchema } from './prediction.ts';

const blank = z.string().nullable();

/**
 * What a deployment puts into the blanks of the terms at `/toc`; null where its operator has not said it yet. The page shows every
 * value as text.
 */
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
  /** Days of talking before a dispute goes further. */
  negotiationDays: blank,
  /** What was paid in so many months before a claim limits what is owed for it … */
  liabilityMonths: blank,
  /** … and never more than this amount, with its currency. */
  liabilityAmount: blank,
  contactEmail: blank,
  contactAddress: blank,
  contactPhone: blank,
  /** Who receives notices about copyright. */
  copyrightAgent: blank,
});
export type PublicTerms = z.infer<typeof publicTermsSchema>;

/** Where most recordings of a deployment are made. */
export const defaultPlaceSchema = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string(),
});

export const signUpSchema = z.enum(['open', 'invite', 'closed']);
export type SignUp = z.infer<typeof signUpSchema>;

/**
 * `GET /config.json`: what a page must know of the deployment that serves it before it asks for anything else.
 *
 * Nothing secret and nothing about a person. Other parts may add fields; a page that does not know them ignores them.
 */
export const publicConfigSchema = z.object({
  /** Origin of the prediction API, without a slash at its end; empty means the page's own origin. */
  apiOrigin: z.string(),
  /** Predictions are answered without signing in. */
  openPrediction: z.boolean(),
  /** Whose identity service the page talks to, and how. */
  identity: z.object({
    mode: z.enum(['embedded', 'firebase', 'emulator']),
    /** What `/v1/accounts:…` is put behind, without a slash at its end; empty means the API's origin. */
    baseUrl: z.string(),
    /** The same for `/v1/token`. */
    tokenBaseUrl: z.string(),
    apiKey: z.string(),
    /** Whether mails (resetting a password, verifying an address) can be sent. */
    mailAvailable: z.boolean(),
    /** Who may create an account: anyone, those with an invitation, or nobody. A server of before says only `signUpOpen`. */
    signUp: signUpSchema.optional(),
    /** Whether `signUp` is `open`, for pages of before, which do without `signUp`. */
    signUpOpen: z.boolean(),
  }),
  limits: z.object({
    maxUploadBytes: z.int().positive(),
    maxRecordingSeconds: z.number().positive(),
    minRecordingSeconds: z.number().positive(),
  }),
  /** What a file chooser may offer: extensions with their dot, and media types. What a recording is, is told by its content. */
  acceptedFormats: z.array(z.string()),
  /** Where most recordings of this deployment are made, as its operator says: what the page offers as place first. */
  defaultPlace: defaultPlaceSchema.nullable().default(null),
  /** Days that sound is kept for those who want that. */
  retentionDays: z.int().positive(),
  terms: publicTermsSchema,
  /** How often the operator has changed `terms` on the page `/setup`. People agree to a version of the text, this and `termsFingerprint`. */
  termsRevision: z.int().nonnegative().default(0),
  /** Differs when `TERMS_…` variables fill in `terms` differently; empty where none is set. */
  termsFingerprint: z.string().max(32).default(''),
  /** Of the interface, for people whose browser asks for none that it has; null: English. */
  defaultLanguage: z.string().nullable().default(null),
  /** Whether the server has pictures of birds to show. */
  speciesPictures: z.boolean().default(false),
  /** Version of the server. */
  version: z.string(),
  /** Codes of the languages that species names exist in. */
  languages: z.array(z.string()),
  /** null while no recogniser is installed. */
  model: z
    .object({
      id: z.string(),
      version: z.string(),
      sha256: z.string(),
      licence: z.string(),
      attribution: z.string(),
      words: wordThresholdsSchema,
    })
    .nullable(),
});
export type PublicConfig = z.infer<typeof publicConfigSchema>;

/** `GET /readyz` when predictions can be answered; otherwise it is the problem NOT_READY. */
export const readinessSchema = z.object({
  status: z.literal('ready'),
  model: z.literal(true),
  decoder: z.literal(true),
  storage: z.literal(true),
});
