import { z } from 'zod';
import { publicTermsSchema } from './public-config.ts';

/** Languages of the page and of emails. */
export const interfaceLanguages = ['en', 'de'] as const;
export const interfaceLanguageSchema = z.enum(interfaceLanguages);
export type InterfaceLanguage = z.infer<typeof interfaceLanguageSchema>;

/** Settings that the operator can change while the server runs: the blanks of the terms, and others. */
export const settingNames = [
  ...publicTermsSchema.keyof().options,
  ...(['defaultPlace', 'defaultLanguage', 'speciesPictures'] as const),
];
export type SettingName = (typeof settingNames)[number];

/** Settings in their written form, which `docs/configuration.md` describes; an empty one is not set. */
export const writtenSettingsSchema = z.object(
  Object.fromEntries(settingNames.map((name) => [name, z.string()])) as Record<SettingName, z.ZodString>,
);
export type WrittenSettings = Readonly<z.infer<typeof writtenSettingsSchema>>;

/** `GET /v1/setup` and `PUT /v1/setup`. */
export const setupAnswerSchema = z.object({
  settings: writtenSettingsSchema,
  /** Names of the settings that `SETTINGS_FILE` contains. Nothing else can change them. */
  fixed: z.array(z.string()),
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
