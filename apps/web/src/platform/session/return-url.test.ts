import { expect, it } from 'vitest';
import { readReturnUrl } from './return-url.ts';

const origin = 'https://birds.example';

it.each(['/process', '/account?tab=1#sessions', '/no-such-page', '/a//b', '/login?next=https://evil.example'])(
  'The address to return to after sign-in can be a path of this page: %s',
  (path) => {
    expect(readReturnUrl(path, origin)).toBe(path);
  },
);

it.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' //evil.example',
  'https://evil.example/process',
  'https:evil.example',
  'data:text/html,hi',
  'process',
  '?x',
  '',
])('The address to return to after sign-in cannot be on another site: %j', (path) => {
  expect(readReturnUrl(path, origin)).toBeNull();
});
