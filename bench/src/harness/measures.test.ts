import { expect, it } from 'vitest';
import { median, percentile } from './measures.ts';

it('The median of measurements is the middle value, or the mean of the two in the middle', () => {
  expect(median([3, 1, 100])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

it('The 95th percentile of measurements is the value that 95 % of them do not exceed', () => {
  const values = Array.from({ length: 40 }, (_, i) => i + 1);
  expect(percentile(values, 0.95)).toBe(38);
  expect(percentile(values, 1)).toBe(40);
  expect(percentile([7], 0.95)).toBe(7);
});
