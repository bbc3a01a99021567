import { beforeAll, describe, expect, it } from 'vitest';

let tries = 0;

it('passes', () => {});
it('passes at the second try', () => {
  tries += 1;
  expect(tries).toBe(2);
});
it('fails', () => {
  expect('a wren').toBe('a robin');
});
it.skip('is skipped');
it('is skipped with a reason', ({ skip }) => skip('it rains'));

describe('a suite whose preparation fails', () => {
  beforeAll(() => {
    throw new Error('no server');
  });
  it('does not run', () => {});
});
