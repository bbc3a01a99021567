import { missingTerms, type PublicTerms } from '@chiffchaff/contract';
import { z } from 'zod';
import { type Kind, text, type Variable, variable, wholeNumber } from './config-variable.ts';

const oneLine = text('text of at most 300 characters', /^.{1,300}$/s);
const date: Kind<string> = { schema: z.iso.date(), rule: 'a date as YYYY-MM-DD' };
const email: Kind<string> = { schema: z.email().max(320), rule: 'an email address' };
function countOf(unit: string, max: number): Kind<string> {
  const { schema, rule } = wholeNumber(1, max, `a whole number of ${unit} from 1 to ${max}`);
  return { schema: schema.transform(String), rule };
}

const blank = (name: string, kind: Kind<string>, example: string, about: string): Variable<string | null> =>
  variable(name, kind, { fallback: null, fallbackText: 'what was set at /setup', example, about });

/** The blanks of the terms at `/toc`. Until all are set, the page shows a short text instead. */
export const termsVariables = {
  businessName: blank('TERMS_BUSINESS_NAME', oneLine, 'Wald und Wiese e. V.', 'Who runs the site: the other party to its terms.'),
  siteName: blank('TERMS_SITE_NAME', oneLine, 'birds.example.org', 'Name of the site in its terms.'),
  effectiveDate: blank('TERMS_EFFECTIVE_DATE', date, '2026-05-01', 'Date from which the terms apply.'),
  state: blank('TERMS_STATE', oneLine, 'Saxony', 'State whose law governs the terms.'),
  county: blank('TERMS_COUNTY', oneLine, 'Chemnitz', 'County or town whose courts have jurisdiction.'),
  country: blank('TERMS_COUNTRY', oneLine, 'Germany', 'Country of that state.'),
  disputeYears: blank('TERMS_DISPUTE_YEARS', countOf('years', 30), '3', 'Years within which a claim must be brought.'),
  negotiationDays: blank(
    'TERMS_NEGOTIATION_DAYS',
    countOf('days', 365),
    '30',
    'Days of negotiation before a dispute goes further.',
  ),
  liabilityMonths: blank(
    'TERMS_LIABILITY_MONTHS',
    countOf('months', 120),
    '12',
    'Liability is limited to what was paid in this many months before the claim.',
  ),
  liabilityAmount: blank('TERMS_LIABILITY_AMOUNT', oneLine, '100 €', 'Maximum liability for a claim, with currency.'),
  contactEmail: blank('TERMS_CONTACT_EMAIL', email, 'birds@example.org', 'Email address for questions.'),
  contactAddress: blank('TERMS_CONTACT_ADDRESS', oneLine, 'Am Walde 1, 09111 Chemnitz', 'Postal address, on one line.'),
  contactPhone: blank('TERMS_CONTACT_PHONE', oneLine, '+49 371 000000', 'Telephone number.'),
  copyrightAgent: blank(
    'TERMS_COPYRIGHT_AGENT',
    oneLine,
    'Ada Lerche, copyright@example.org',
    'Who receives copyright notices, with contact details.',
  ),
} satisfies { readonly [Blank in keyof PublicTerms]: Variable<string | null> };

/** Names of the variables of the terms that are not set, in the order of the documentation. */
export const unsetTerms = (terms: PublicTerms): readonly string[] =>
  missingTerms(terms).map((blank) => termsVariables[blank].name);
