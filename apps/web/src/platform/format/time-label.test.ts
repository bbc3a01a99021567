import { expect, it } from 'vitest';
import { lengthLabel, timeLabel } from './format.ts';

it.each([
  [3.24, 1, '0:03.2'],
  [725, 0, '12:05'],
  [3725, 0, '1:02:05'],
  [59.96, 1, '1:00.0'],
  [0, 0, '0:00'],
] as const)('A time of %d seconds with %d decimals is shown as %s', (seconds, decimals, label) => {
  expect(timeLabel(seconds, decimals)).toBe(label);
});

it('A time is shown with hours if other times beside it have hours', () => {
  expect(timeLabel(725, 0, true)).toBe('0:12:05');
  expect(timeLabel(5.25, 2, true)).toBe('0:00:05.25');
});

it.each([
  [12_000, '3 h 20 min'],
  [3600, '1 h'],
  [95, '1 min 35 s'],
  [120, '2 min'],
  [9.4, '9 s'],
  [3599.7, '1 h'],
])('A duration of %d s is shown with unit symbols: %s', (seconds, label) => {
  expect(lengthLabel(seconds)).toBe(label);
});
