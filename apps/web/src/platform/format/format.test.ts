import { expect, it } from 'vitest';
import { dateLocale, formatBytes, formatDuration, formatList, formatPercent } from './format.ts';

it('A percentage is shown as a whole number and never as 100 %', () => {
  expect(formatPercent(0.9649, 'en')).toBe('96%');
  expect(formatPercent(0.9649, 'de')).toBe('96\u00a0%');
});

it('A file size is shown in the largest unit that fits, from bytes to GB', () => {
  expect(formatBytes(0, 'en')).toBe('0 bytes');
  expect(formatBytes(1, 'en')).toBe('1 byte');
  expect(formatBytes(25, 'de')).toBe('25 Byte');
  expect(formatBytes(2 * 1024 ** 3, 'en')).toBe('2 GB');
  expect(formatBytes(1.55 * 1024 ** 2, 'de')).toBe('1,6 MB');
});

it('A duration is shown with its unit as a word of the language', () => {
  expect(formatDuration(0.5, 'en')).toBe('0.5 seconds');
  expect(formatDuration(720, 'en')).toBe('12 minutes');
  expect(formatDuration(10_800, 'de')).toBe('3 Stunden');
});

it('The entries of a list are joined as is usual in the language of the page', () => {
  expect(formatList(['a', 'b', 'c'], 'de')).toBe('a, b und c');
});

it('A date is written in the browser’s variety of the language, such as American English', () => {
  expect(dateLocale('en', ['de-AT', 'en-GB', 'en-US'])).toBe('en-GB');
  expect(dateLocale('de', ['de', 'de-AT'])).toBe('de');
  expect(dateLocale('de', ['en-GB', 'den-CA'])).toBe('de');
});
