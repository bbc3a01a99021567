import type { PublicTerms } from './public-config.ts';

/** A blank whose line is simply left out of the terms while it is empty. */
export const OPTIONAL_BLANK = 'contactPhone' satisfies keyof PublicTerms;

/** Blanks without which the terms cannot be shown, in the order of the terms. */
export const missingTerms = (terms: PublicTerms): (keyof PublicTerms)[] =>
  (Object.keys(terms) as (keyof PublicTerms)[]).filter((blank) => terms[blank] === null && blank !== OPTIONAL_BLANK);
