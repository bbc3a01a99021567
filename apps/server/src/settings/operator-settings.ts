/**
 * The table of settings that an operator can change while the server runs. Each has one written form, which the settings file, the database
 * and `chiffchaff admin settings` share.
 */
import { sha256Of } from '@chiffchaff/acquire';
import {
  defaultPlaceSchema,
  type InterfaceLanguage,
  interfaceLanguages,
  type PublicConfig,
  type PublicTerms,
  pictureSources,
  publicTermsSchema,
  type SettingName,
  type WrittenSettings,
} from '@chiffchaff/contract';
import { z } from 'zod';
import { emailAddress, type Kind, oneOf, text, wholeNumber } from '../config/variable.ts';

/** The settings in effect; null for those that are not set. */
export interface CurrentSettings extends Pick<PublicConfig, 'terms' | 'defaultPlace'> {
  /** Changes with the terms; empty while all their blanks are. People agree to the version of the text and this. */
  readonly termsFingerprint: string;
  /** For people whose browser requests none of the interface's languages; null: English. */
  readonly defaultLanguage: InterfaceLanguage | null;
  /** Source of pictures of birds; null: none. */
  readonly speciesPictures: (typeof pictureSources)[number] | null;
}

const blanks = publicTermsSchema.keyof().options;

interface Setting<Value> extends Kind<Value> {
  readonly example: string;
  readonly about: string;
}

const shortText = text('text of at most 300 characters', /^.{1,300}$/s);
const date: Kind<string> = { schema: z.iso.date(), rule: 'a date as YYYY-MM-DD' };
function countOf(unit: string, max: number): Kind<string> {
  const { schema, rule } = wholeNumber(1, max, `a whole number of ${unit} from 1 to ${max}`);
  return { schema: schema.transform(String), rule };
}
const namedPlace: Kind<CurrentSettings['defaultPlace']> = {
  schema: z
    .string()
    .regex(/^[^,]+,[^,]+,.+$/)
    .transform((written) => {
      const [latitude, longitude, ...name] = written.split(',');
      return { latitude: Number(latitude), longitude: Number(longitude), name: name.join(',').trim() };
    })
    .pipe(defaultPlaceSchema.extend({ name: z.string().regex(/^.{1,100}$/) })),
  rule: 'latitude and longitude in degrees and a name of at most 100 characters, separated by commas',
};

const setting = <Value>(kind: Kind<Value>, example: string, about: string): Setting<Value> => ({ ...kind, example, about });

/** Until all blanks of the terms at `/toc` are set, the page shows a short text instead. */
export const operatorSettings = {
  businessName: setting(shortText, 'Wald und Wiese e. V.', 'Who runs the site: the other party to its terms.'),
  siteName: setting(shortText, 'birds.example.org', 'Name of the site in its terms.'),
  effectiveDate: setting(date, '2026-05-01', 'Date from which the terms apply.'),
  state: setting(shortText, 'Saxony', 'State whose law governs the terms.'),
  county: setting(shortText, 'Chemnitz', 'County or town whose courts have jurisdiction.'),
  country: setting(shortText, 'Germany', 'Country of that state.'),
  disputeYears: setting(countOf('years', 30), '3', 'Years within which a claim must be brought.'),
  negotiationDays: setting(countOf('days', 365), '30', 'Days of negotiation before a dispute goes further.'),
  liabilityMonths: setting(
    countOf('months', 120),
    '12',
    'Liability is limited to what was paid in this many months before the claim.',
  ),
  liabilityAmount: setting(shortText, '100 €', 'Maximum liability for a claim, with currency.'),
  contactEmail: setting(emailAddress, 'birds@example.org', 'Email address for questions.'),
  contactAddress: setting(shortText, 'Am Walde 1, 09111 Chemnitz', 'Postal address, on one line.'),
  contactPhone: setting(shortText, '+49 371 000000', 'Telephone number; the terms are complete without it.'),
  copyrightAgent: setting(
    shortText,
    'Ada Lerche, copyright@example.org',
    'Who receives copyright notices, with contact details.',
  ),
  defaultPlace: setting(
    namedPlace,
    '52.2, 0.12, Cambridge',
    'Where most recordings are made; the page suggests it. North and east are positive.',
  ),
  defaultLanguage: setting(
    oneOf(...interfaceLanguages),
    'de',
    'Language of the page and of emails for people whose browser asks for none of these; otherwise en.',
  ),
  speciesPictures: setting(
    oneOf(...pictureSources),
    'wikimedia',
    'Where the server fetches a picture and a song of a bird from when they are first shown: `wikimedia` sends the scientific name to Wikipedia and Wikimedia Commons, with contactEmail, which is needed. Nothing about a visitor is sent.',
  ),
} satisfies { readonly [Name in SettingName]: Setting<unknown> };

const read = <Value>({ schema }: Kind<Value>, written: string | undefined): Value | null =>
  schema.safeParse(written).data ?? null;

/** Reads settings; one that is not valid counts as not set. */
export function readSettings(written: Partial<WrittenSettings>): CurrentSettings {
  const filled = blanks.map((blank) => [blank, read(operatorSettings[blank], written[blank])] as const);
  const hash = sha256Of(JSON.stringify(filled));
  return {
    terms: Object.fromEntries(filled) as PublicTerms,
    termsFingerprint: filled.some(([, text]) => text !== null) ? hash.slice(0, 8) : '',
    defaultPlace: read(operatorSettings.defaultPlace, written.defaultPlace),
    defaultLanguage: read(operatorSettings.defaultLanguage, written.defaultLanguage),
    speciesPictures: read(operatorSettings.speciesPictures, written.speciesPictures),
  };
}

/** Whether pictures of birds are shown. Wikimedia asks for a way to reach the operator, so it is not used without one. */
export const showsPictures = ({ speciesPictures, terms }: CurrentSettings): boolean =>
  speciesPictures === 'wikimedia' && terms.contactEmail !== null;
