import { z } from 'zod';
import { KEEP_AUDIO_CHOICES } from './keep-audio.ts';

/**
 * The optional text fields of `POST /get_prediction`, and of every other form that asks about a place and time.
 *
 * Forms send text, so the schema parses text; an empty field counts as absent. The page validates with the same schema before it sends.
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

/** A calendar date, or an instant, of which only the date counts, as written (in the recorder's time zone). */
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

const MAX_TIME_ZONE_CHARACTERS = 100;

/** An unknown name is no error, and no place is assumed from it: browsers learn new names before we do. */
const timeZoneField = z.preprocess(absentWhenEmpty, z.string().trim().max(MAX_TIME_ZONE_CHARACTERS, 'is too long').optional());

/** Where coordinates come from; an assumed place has none. */
const placeSourceOfCoordinatesSchema = z.enum(['stated', 'file'], 'must be stated or file');

const placeFields = { latitude: numberField(-90, 90), longitude: numberField(-180, 180) };

interface PlaceFields {
  readonly latitude?: number | null | undefined;
  readonly longitude?: number | null | undefined;
  readonly placeSource?: string | null | undefined;
}

/** One coordinate alone is no place, and a source without coordinates is meaningless. */
function hasWholePlace({ latitude, longitude, placeSource }: PlaceFields, context: z.RefinementCtx): void {
  if ((latitude == null) !== (longitude == null)) {
    const [missing, given] = latitude == null ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
    context.addIssue({ code: 'custom', path: [missing], message: `is required with ${given}` });
  }
  if (placeSource != null && latitude == null)
    context.addIssue({ code: 'custom', path: ['placeSource'], message: 'needs latitude and longitude' });
}

export const predictionFieldsSchema = z
  .object({
    ...placeFields,
    /** Where the coordinates come from: the person (`stated`, the default) or the recording's file. */
    placeSource: z.preprocess(absentWhenEmpty, placeSourceOfCoordinatesSchema.optional()),
    /** IANA time zone of the device, `Europe/London`: a place is assumed from it if there are no coordinates. */
    timeZone: timeZoneField,
    date: dateField,
    language: languageField,
    /** Minimum score of a detection; does not apply to candidates. */
    minScore: numberField(0, 1),
    /** Number of candidates to keep. */
    top: numberField(1, 100, { whole: true }),
    /** Overlap of neighbouring clips in seconds; clips are 3 s long. */
    overlapSeconds: numberField(0, 2.9),
    keepAudio: z.preprocess(
      absentWhenEmpty,
      z.enum(KEEP_AUDIO_CHOICES, 'must be nothing, moments, shortRecording or recording').optional(),
    ),
    /** Keep the whole audio for half an hour as well; only ever chosen by a person. */
    listeningCopy: z.preprocess(absentWhenEmpty, z.enum(['true', 'false'], 'must be true or false').optional()),
  })
  .superRefine(hasWholePlace);
export type PredictionFields = z.output<typeof predictionFieldsSchema>;

function needsPlace(query: PlaceFields, context: z.RefinementCtx): void {
  hasWholePlace(query, context);
  if (query.latitude != null || query.longitude != null) return;
  for (const field of ['latitude', 'longitude']) context.addIssue({ code: 'custom', path: [field], message: 'is required' });
}

/** The query of `GET /v1/species`. */
export const expectedSpeciesQuerySchema = z
  .object({
    ...placeFields,
    date: dateField,
    language: languageField,
  })
  .superRefine(needsPlace);

/**
 * The query of `GET /v1/species/search`: finds birds that the model knows by parts of their names in any language.
 * `language` is that of the names returned, by default English; birds of the place or time zone come first.
 */
export const speciesSearchQuerySchema = z
  .object({
    q: z.string().trim().min(1).max(100),
    language: z.string().max(35).optional(),
    ...placeFields,
    timeZone: timeZoneField,
  })
  .superRefine(hasWholePlace);

/** The query of `GET /v1/places/region`. */
export const positionQuerySchema = z.object(placeFields).superRefine(needsPlace);

const placeOrZoneFields = { ...placeFields, timeZone: timeZoneField };

function hasPlaceOrZone(query: z.output<z.ZodObject<typeof placeOrZoneFields>>, context: z.RefinementCtx): void {
  hasWholePlace(query, context);
  const hasPlace = query.latitude !== undefined || query.longitude !== undefined;
  if (hasPlace === (query.timeZone !== undefined))
    context.addIssue({ code: 'custom', path: ['timeZone'], message: 'is needed, or latitude and longitude, not both' });
}

/** The query of `GET /v1/occurrences`: a place with or without a week, or a time zone. Places are rounded to 0.1°. */
export const occurrencesQuerySchema = z
  .object({ ...placeOrZoneFields, week: numberField(1, 48, { whole: true }) })
  .superRefine(hasPlaceOrZone)
  .refine(({ timeZone, week }) => timeZone === undefined || week === undefined, {
    path: ['week'],
    message: 'needs latitude and longitude',
  });

/** The query of `GET /v1/species/{scientificName}/season`: a place or a time zone. Places are rounded to `SEASON_DEGREES`. */
export const seasonQuerySchema = z.object(placeOrZoneFields).superRefine(hasPlaceOrZone);

/** The query of `GET /v1/species/around`: a place or a time zone, as for a season, and a week. */
export const speciesAroundQuerySchema = z
  .object({ ...placeOrZoneFields, week: numberField(1, 48, { whole: true }), language: languageField })
  .superRefine(hasPlaceOrZone)
  .refine(({ week }) => week !== undefined, { path: ['week'], message: 'is required' });

/** The queries of `GET /v1/species/{scientificName}` and `…/range`. */
export const speciesProfileQuerySchema = z.object({ language: languageField });
export const speciesRangeQuerySchema = z.object({ period: z.enum(['year', 'week'], 'must be year or week').default('year') });

/**
 * The body of `POST /v1/predictions/:id/conditions`: what is to change of the conditions, without the audio. An absent value stays as it is,
 * null removes it: the place or date is unknown then, and a threshold or language takes its default.
 */
export const reconsiderationBodySchema = z
  .strictObject({
    /** degrees; both or neither */
    latitude: z.number().min(-90).max(90).nullish(),
    longitude: z.number().min(-180).max(180).nullish(),
    /** Where the coordinates come from; `stated` when absent. Only with coordinates. */
    placeSource: placeSourceOfCoordinatesSchema.nullish(),
    /** IANA time zone of the device: a place is assumed from it if there are no coordinates. An unknown name is ignored. */
    timeZone: z.string().max(MAX_TIME_ZONE_CHARACTERS).nullish(),
    /** ISO date, `2026-05-01`; null: unknown, so the whole year counts. */
    date: z.iso.date().nullish(),
    /** Minimum score of a detection. */
    minScore: z.number().min(0).max(1).nullish(),
    /** Number of candidates to keep. */
    top: z.int().min(1).max(100).nullish(),
    /** Language of species names. */
    language: z.string().regex(LANGUAGE_CODE).nullish(),
  })
  .superRefine(hasWholePlace);
/** The query of the same: with `preview=true`, nothing is stored. */
export const reconsiderationQuerySchema = z.object({ preview: z.enum(['true', 'false'], 'must be true or false').optional() });
export type ReconsiderationBody = z.infer<typeof reconsiderationBodySchema>;
