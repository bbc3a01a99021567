import { UsageError } from '@chiffchaff/cli';
import { readOptions } from '@chiffchaff/cli/testing';
import { expect, it } from 'vitest';
import { benchCommand } from './options.ts';

it('`npm run bench` measures every part unless --only names some', () => {
  const all = readOptions(benchCommand, []);
  expect(all).toMatchObject({ quick: false, python: 'python3' });
  expect(all?.parts).toHaveLength(7);
  expect(readOptions(benchCommand, ['--only', 'http,clips', '--quick'])).toMatchObject({ parts: ['clips', 'http'], quick: true });
  expect(() => readOptions(benchCommand, ['--only', 'speed'])).toThrow(UsageError);
});
