import { expect, it } from 'vitest';
import { dateLocale, formatBytes, formatDuration, formatList, formatPercent } from './format.ts';

it('writes whole percent at most', () => {
  expect(formatPercent(0.9649, 'en')).toBe('96%');
  expect(formatPercent(0.9649, 'de')).toBe('96\u00a0%');
});

it('writes sizes with the unit that fits', () => {
  expect(formatBytes(0, 'en')).toBe('0 bytes');
  expect(formatBytes(1, 'en')).toBe('1 byte');
  expect(formatBytes(25, 'de')).toBe('25 Byte');
  expect(formatBytes(2 * 1024 ** 3, 'en')).toBe('2 GB');
  expect(formatBytes(1.55 * 1024 ** 2, 'de')).toBe('1,6 MB');
});

it('writes lengths of time as people say them', () => {
  expect(formatDuration(0.5, 'en')).toBe('0.5 seconds');
  expect(formatDuration(720, 'en')).toBe('12 minutes');
  expect(formatDuration(10_800, 'de')).toBe('3 Stunden');
});

it('joins a list as the language does', () => {
  expect(formatList(['a', 'b', 'c'], 'de')).toBe('a, b und c');
});

it('writes dates as the browser’s variety of the language does', () => {
  expect(dateLocale('en', ['de-AT', 'en-GB', 'en-US'])).toBe('en-GB');
  expect(dateLocale('de', ['de', 'de-AT'])).toBe('de');
  expect(dateLocale('de', ['en-GB', 'den-CA'])).toBe('de');
});
