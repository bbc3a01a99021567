import { expect, it } from 'vitest';
import { TERMS_VERSION, termsVersion } from './terms-version.ts';

it.each([
  [undefined, TERMS_VERSION],
  [{ termsFingerprint: '' }, TERMS_VERSION],
  [{ termsFingerprint: '1a2b3c4d' }, `${TERMS_VERSION}.1a2b3c4d`],
])(
  'The accepted version of the terms of use includes the fingerprint of what the operator has filled in: %j',
  (config, version) => {
    expect(termsVersion(config)).toBe(version);
  },
);
