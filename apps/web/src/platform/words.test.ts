import { expect, it } from 'vitest';
import { percentRangeOf, wordFor } from './words.ts';

it('uses each word from its own lowest confidence on', () => {
  expect([1, 0.9, 0.8999, 0.7, 0.5, 0.25, 0.2499, 0].map(wordFor)).toEqual([
    'veryLikely',
    'veryLikely',
    'likely',
    'likely',
    'perhaps',
    'notSure',
    'none',
    'none',
  ]);
});

it('tells from where to where a word reaches', () => {
  expect(percentRangeOf('veryLikely')).toEqual({ from: 90, to: 100 });
  expect(percentRangeOf('perhaps')).toEqual({ from: 50, to: 70 });
  expect(percentRangeOf('none')).toEqual({ from: 0, to: 25 });
});
