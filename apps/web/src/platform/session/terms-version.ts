/** The version of the terms that `/toc` shows; recorded with every account that agrees to it. */
export const TERMS_VERSION = '5';
