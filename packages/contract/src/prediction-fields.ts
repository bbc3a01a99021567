import { z } from 'zod';
import { KEEP_AUDIO_CHOICES } from './keep-audio.ts';

/**
 * The optional text fields of `POST /get_prediction`, and of every other form that asks about a place and time.
 *
 * Forms send text, so text is what is read; an empty field counts as absent. The page checks with the same schema before it sends.
 */

const absentWhenEmpty = (value: unknown): unknown => (typeof value === 'string' && value.trim() === '' ? undefined : value);

function numberField(min: number, max: number, { whole = false } = {}) {
  const message = `must be a ${whole ? 'whole number' : 'number'} from ${min} to ${max}`;
  const schema = z
    .string(message)
    .trim()
    .regex(whole ? /^\d{1,9}$/ : /^[+-]?\d{1,9}(\.\d{1,20})?$/, message)
    .transform(Number)
    .pipe((whole ? z.int() : z.number()).min(min, message).max(max, message));
  return z.preprocess(absentWhenEmpty, schema.optional());
}

const DATE_MESSAGE = 'must be a date such as 2026-05-01';

/** A calendar date, or an instant of which only the date as it is written counts (the recorder's own). */
const dateField = z.preprocess(
  absentWhenEmpty,
  z
    .string(DATE_MESSAGE)
    .trim()
    .pipe(z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], DATE_MESSAGE))
    .transform((date) => date.slice(0, 10))
    .optional(),
);

const LANGUAGE_CODE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})?$/;

const languageField = z.preprocess(
  absentWhenEmpty,
  z.string().trim().regex(LANGUAGE_CODE, 'must be a language code such as en or de').optional(),
);

const placeFields = { latitude: numberField(-90, 90), longitude: numberField(-180, 180) };

/** One coordinate alone names no place. */
function hasWholePlace(
  { latitude, longitude }: { latitude?: number | null | undefined; longitude?: number | null | undefined },
  context: z.RefinementCtx,
): void {
  if ((latitude == null) === (longitude == null)) return;
  const [missing, given] = latitude == null ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
  context.addIssue({ code: 'custom', path: [missing], message: `is needed together with ${given}` });
}

export const predictionFieldsSchema = z
  .object({
    ...placeFields,
    date: dateField,
    language: languageField,
    /** Lowest score of a detection; says nothing about candidates. */
    minScore: numberField(0, 1),
    /** Candidates kept. */
    top: numberField(1, 100, { whole: true }),
    /** Seconds that neighbouring clips share; clips are 3 s long. */
    overlapSeconds: numberField(0, 2.9),
    keepAudio: z.preprocess(absentWhenEmpty, z.enum(KEEP_AUDIO_CHOICES, 'must be nothing, moments or recording').optional()),
    /** Keep all of the sound for half an hour besides; only ever a person's own choice. */
    listeningCopy: z.preprocess(absentWhenEmpty, z.enum(['true', 'false'], 'must be true or false').optional()),
  })
  .superRefine(hasWholePlace);
export type PredictionFields = z.output<typeof predictionFieldsSchema>;

/** The query of `GET /v1/species`. */
export const expectedSpeciesQuerySchema = z
  .object({
    ...placeFields,
    date: dateField,
    language: languageField,
  })
  .superRefine((query, context) => {
    hasWholePlace(query, context);
    if (query.latitude !== undefined || query.longitude !== undefined) return;
    for (const field of ['latitude', 'longitude']) context.addIssue({ code: 'custom', path: [field], message: 'is needed' });
  });

/**
 * The body of `POST /v1/predictions/:id/conditions`: everything that can be asked of a recording again without its audio.
 *
 * It states the conditions whole, not what changes: what is absent or null is not known (place, date) or takes the model's default.
 */
export const reconsiderationBodySchema = z
  .strictObject({
    /** degrees; both or none */
    latitude: z.number().min(-90).max(90).nullish(),
    longitude: z.number().min(-180).max(180).nullish(),
    /** ISO date, `2026-05-01`; without it the whole year counts. Has no meaning without a place. */
    date: z.iso.date().nullish(),
    /** Lowest score of a detection. */
    minScore: z.number().min(0).max(1).nullish(),
    /** Candidates kept. */
    top: z.int().min(1).max(100).nullish(),
    /** Language of species names. */
    language: z.string().regex(LANGUAGE_CODE).nullish(),
  })
  .superRefine(hasWholePlace);
export type ReconsiderationBody = z.infer<typeof reconsiderationBodySchema>;
