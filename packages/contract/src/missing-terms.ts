import type { PublicTerms } from './public-config.ts';

/** A blank whose line is omitted from the terms while it is empty. */
export const OPTIONAL_BLANK = 'contactPhone' satisfies keyof PublicTerms;

/** Empty blanks that keep the terms from being shown, in the order of the terms. */
export const missingTerms = (terms: PublicTerms): (keyof PublicTerms)[] =>
  (Object.keys(terms) as (keyof PublicTerms)[]).filter((blank) => terms[blank] === null && blank !== OPTIONAL_BLANK);
