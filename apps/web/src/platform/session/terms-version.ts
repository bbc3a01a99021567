import type { PublicConfig } from '@chiffchaff/contract';

/** Version of the text of the terms. */
export const TERMS_VERSION = '16';

/** The version of the terms that `/toc` shows, including what the operator has filled in; recorded with every account that agrees to it. */
export const termsVersion = (config: Pick<PublicConfig, 'termsFingerprint'> | undefined): string =>
  [TERMS_VERSION, config?.termsFingerprint].filter(Boolean).join('.');
