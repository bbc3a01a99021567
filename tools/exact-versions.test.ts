import { expect, it } from 'vitest';
import { findRanges, isExact } from './exact-versions.ts';

it.each([
  ['4.10.2', true],
  ['6.0.0-beta.1', true],
  ['workspace:*', true],
  ['^4.10.2', false],
  ['~4.10.2', false],
  ['>=4', false],
  ['4.x', false],
  ['*', false],
  ['latest', false],
  ['1.0.0 || 2.0.0', false],
])('The version %s of a dependency is exact: %s', (version, expected) => {
  expect(isExact(version)).toBe(expected);
});

it('No package depends on a range of versions', () => {
  expect(findRanges()).toEqual([]);
});
