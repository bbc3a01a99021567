import { expect, it } from 'vitest';
import { wordFor } from './words.ts';

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
