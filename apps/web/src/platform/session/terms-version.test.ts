import { expect, it } from 'vitest';
import { TERMS_VERSION, termsVersion } from './terms-version.ts';

it.each([
  [undefined, TERMS_VERSION],
  [{ termsRevision: 0, termsFingerprint: '' }, TERMS_VERSION],
  [{ termsRevision: 3, termsFingerprint: '' }, `${TERMS_VERSION}.3`],
  [{ termsRevision: 0, termsFingerprint: '1a2b3c4d' }, `${TERMS_VERSION}.1a2b3c4d`],
  [{ termsRevision: 3, termsFingerprint: '1a2b3c4d' }, `${TERMS_VERSION}.3.1a2b3c4d`],
])('The version of the terms of use includes what the operator has filled in: %j', (config, version) => {
  expect(termsVersion(config)).toBe(version);
});
