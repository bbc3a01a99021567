import { expect, it } from 'vitest';
import { isAllowedLicence } from './licences.ts';

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['MIT AND GPL-3.0', false],
  ['Apache-2.0 AND MIT', true],
  ['GPL-3.0', false],
  ['Unknown', false],
])('A dependency under the licence %s is allowed: %s', (licence, expected) => {
  expect(isAllowedLicence(licence)).toBe(expected);
});
