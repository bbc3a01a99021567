import { expect, it } from 'vitest';
import { speak, spoken } from '../../languages/i18n.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { createWords } from './words.ts';

const words = createWords(fakeConfig.model?.words ?? null, spoken.snapshot().t, 'en');

it('A word of confidence is used from its own lowest confidence on', () => {
  expect([1, 0.9, 0.8999, 0.7, 0.5, 0.25, 0.2499, 0].map(words.wordOf)).toEqual([
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

it('A word of confidence is explained with its range', () => {
  expect(words.rangeOf('veryLikely')).toEqual({ from: 90, to: 100 });
  expect(words.rangeOf('perhaps')).toEqual({ from: 50, to: 70 });
  expect(words.rangeOf('none')).toEqual({ from: 0, to: 25 });
});

it.each([
  [0.496, '49%'],
  [0.5, '50%'],
  [0.446, '45%'],
  [0.2499, '24%'],
  [0.6951, '69%'],
  [0.8999, '89%'],
  [0.9, '90%'],
  [0, '0%'],
  [0.004, 'under 1%'],
  [0.9951, 'over 99%'],
])('A rounded percentage never belongs to another word than the exact confidence: %d is %s', async (confidence, written) => {
  await speak('en');
  expect(words.percentOf(confidence)).toBe(written);
});
