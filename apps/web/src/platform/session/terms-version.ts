/** The version of the terms that `/toc` shows; recorded with every account that agrees to it. */
export const termsVersion = '5';
