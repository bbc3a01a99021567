import type { PageConfig } from '../api/public-config.ts';

/** Version of the text of the terms. */
export const TERMS_VERSION = '14';

/** The version of the terms that `/toc` shows, including what the operator has filled in; recorded with every account that agrees to it. */
export const termsVersion = (config: Pick<PageConfig, 'termsFingerprint'> | undefined): string =>
  [TERMS_VERSION, config?.termsFingerprint].filter(Boolean).join('.');
