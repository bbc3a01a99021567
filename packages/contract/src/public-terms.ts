import { z } from 'zod';

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
