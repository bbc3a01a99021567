import { z } from 'zod';
import { defaultPlaceSchema, publicTermsSchema } from './public-config.ts';
import { pictureSources } from './species.ts';

/** Languages of the page and of emails. */
export const interfaceLanguages = ['en', 'de'] as const;
export const interfaceLanguageSchema = z.enum(interfaceLanguages);
export type InterfaceLanguage = z.infer<typeof interfaceLanguageSchema>;

/** Settings of the operator, from the page `/setup` or environment variables. */
export const operatorSettingsSchema = z.object({
  terms: publicTermsSchema,
  defaultPlace: defaultPlaceSchema.nullable(),
  /** For people whose browser requests none of the interface's languages; null: English. */
  defaultLanguage: interfaceLanguageSchema.nullable(),
  /** Source of pictures of birds; null: none. */
  speciesPictures: z.enum(pictureSources).nullable(),
});
export type OperatorSettings = z.infer<typeof operatorSettingsSchema>;

/** `GET /v1/setup` and `PUT /v1/setup`. */
export const setupAnswerSchema = z.object({
  settings: operatorSettingsSchema,
  /** The environment variable behind each field that is set by one: a blank of the terms, or another field of `settings`. */
  fixed: z.record(z.string(), z.string()),
  /** Whether a test email can be sent: `external` if another service sends the emails about accounts. */
  mail: z.enum(['configured', 'notConfigured', 'external']),
});
export type SetupAnswer = z.infer<typeof setupAnswerSchema>;

/** `POST /v1/setup/test-email` */
export const testEmailBodySchema = z.object({ contactEmail: z.email().max(320), language: interfaceLanguageSchema });

/** The result of a test email: accepted by the mail server, or what failed. */
export const testEmailAnswerSchema = z.object({
  outcome: z.enum(['sent', 'unreachable', 'insecure', 'signInRefused', 'senderRefused', 'recipientRefused', 'refused']),
});
export type TestEmailOutcome = z.infer<typeof testEmailAnswerSchema>['outcome'];
