import { z } from 'zod';
import { keepAudioSchema } from '../stored-predictions.ts';

/** `/v1/account/…`: what signed-in people see and decide about their own account, beyond Identity Toolkit's methods. */

export const termsAcceptanceSchema = z.object({ version: z.string().min(1).max(64), acceptedAt: z.iso.datetime() });
export type TermsAcceptance = z.infer<typeof termsAcceptanceSchema>;

export const acceptTermsBodySchema = z.object({ version: termsAcceptanceSchema.shape.version });
export const termsAnswerSchema = z.object({ accepted: z.array(termsAcceptanceSchema) });

export const accountSessionSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  /** User agent of the browser or program at sign-in; null if it sent none. */
  userAgent: z.string().nullable(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
});

export const sessionsAnswerSchema = z.object({ sessions: z.array(accountSessionSchema) });
export const sessionsEndedAnswerSchema = z.object({ ended: z.int().nonnegative() });

/** `GET` and `POST /v1/account/settings`: defaults for recordings whose request does not say otherwise. */
export const accountSettingsSchema = z.strictObject({ keepAudio: keepAudioSchema });

/** Everything that is stored about an account; other packages add what they store (predictions, …). */
export const accountExportSchema = z.looseObject({
  exportedAt: z.iso.datetime(),
  account: z.looseObject({ localId: z.string() }),
  terms: z.array(termsAcceptanceSchema),
});
