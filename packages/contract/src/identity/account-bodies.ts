import { z } from 'zod';
import { keepAudioSchema } from '../stored-predictions.ts';

/** `/v1/account/…`: what a signed-in person sees and decides about their own account, beyond Identity Toolkit's methods. */

export const termsAcceptanceSchema = z.object({ version: z.string().min(1).max(64), acceptedAt: z.iso.datetime() });
export type TermsAcceptance = z.infer<typeof termsAcceptanceSchema>;

export const acceptTermsBodySchema = z.object({ version: termsAcceptanceSchema.shape.version });
export const termsAnswerSchema = z.object({ accepted: z.array(termsAcceptanceSchema) });

export const accountSessionSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  /** What the browser or program called itself at sign-in; null when it said nothing. */
  userAgent: z.string().nullable(),
  /** The session that asks. */
  current: z.boolean(),
});

export const sessionsAnswerSchema = z.object({ sessions: z.array(accountSessionSchema) });
export const sessionsEndedAnswerSchema = z.object({ ended: z.int().nonnegative() });

/** `GET` and `POST /v1/account/settings`: what holds for recordings whose request says nothing else. */
export const accountSettingsSchema = z.strictObject({ keepAudio: keepAudioSchema });

/** Everything that is kept about an account; further parts (predictions, …) come from the packages that keep them. */
export const accountExportSchema = z.looseObject({
  exportedAt: z.iso.datetime(),
  account: z.looseObject({ localId: z.string() }),
  terms: z.array(termsAcceptanceSchema),
});
