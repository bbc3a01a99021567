import type { PublicTerms } from '@chiffchaff/contract';
import { z } from 'zod';
import { type Variable, variable, wholeNumber } from './config-variable.ts';

/** The blanks of the terms at `/toc`. What is not set is marked on the page as to be set by the operator. */

const fallbackText = 'the page says that the operator has yet to set it';
/** Shown as text wherever it stands; a bound keeps the page legible. */
const line = z.string().min(1).max(300);
const count = (min: number, max: number) => wholeNumber(min, max).transform(String);

const blank = (
  name: string,
  rule: string,
  example: string,
  about: string,
  schema: z.ZodType<string, string> = line,
): Variable<string | null> => variable<string | null>({ name, schema, fallback: null, fallbackText, rule, example, about });

const oneLine = 'a text of at most 300 characters';

export const termsVariables = {
  businessName: blank(
    'TERMS_BUSINESS_NAME',
    oneLine,
    'Wald und Wiese e. V.',
    'Who runs the site and is the other side of its terms.',
  ),
  siteName: blank('TERMS_SITE_NAME', oneLine, 'birds.example.org', 'What the site is called in its terms.'),
  effectiveDate: blank('TERMS_EFFECTIVE_DATE', 'a date as YYYY-MM-DD', '2026-05-01', 'Since when the terms hold.', z.iso.date()),
  state: blank('TERMS_STATE', oneLine, 'Saxony', 'State whose law governs the terms.'),
  county: blank('TERMS_COUNTY', oneLine, 'Chemnitz', 'County or town whose courts decide.'),
  country: blank('TERMS_COUNTRY', oneLine, 'Germany', 'Country of that state.'),
  disputeYears: blank(
    'TERMS_DISPUTE_YEARS',
    'a whole number of years from 1 to 30',
    '3',
    'Years within which a claim has to be brought.',
    count(1, 30),
  ),
  negotiationDays: blank(
    'TERMS_NEGOTIATION_DAYS',
    'a whole number of days from 1 to 365',
    '30',
    'Days of talking before a dispute goes further.',
    count(1, 365),
  ),
  liabilityMonths: blank(
    'TERMS_LIABILITY_MONTHS',
    'a whole number of months from 1 to 120',
    '12',
    'Months before a claim whose payments limit what is owed for it.',
    count(1, 120),
  ),
  liabilityAmount: blank('TERMS_LIABILITY_AMOUNT', oneLine, '100 €', 'Most that is owed for a claim, with its currency.'),
  contactEmail: blank(
    'TERMS_CONTACT_EMAIL',
    'an e-mail address',
    'birds@example.org',
    'Where people write to.',
    z.email().max(320),
  ),
  contactAddress: blank('TERMS_CONTACT_ADDRESS', oneLine, 'Am Walde 1, 09111 Chemnitz', 'Postal address, on one line.'),
  contactPhone: blank('TERMS_CONTACT_PHONE', oneLine, '+49 371 000000', 'Telephone number.'),
  copyrightAgent: blank(
    'TERMS_COPYRIGHT_AGENT',
    oneLine,
    'Ada Lerche, copyright@example.org',
    'Who receives notices about copyright, with a way to reach them.',
  ),
} satisfies { readonly [Blank in keyof PublicTerms]: Variable<string | null> };

/** Names of the variables that are not set, in the order of the documentation. */
export function unsetTerms(terms: PublicTerms): readonly string[] {
  const blanks = Object.keys(termsVariables) as (keyof PublicTerms)[];
  return blanks.filter((key) => terms[key] === null).map((key) => termsVariables[key].name);
}
