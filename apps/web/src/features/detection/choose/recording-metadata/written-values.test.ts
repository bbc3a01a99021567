import { expect, it } from 'vitest';
import { dateFromFileName } from './written-values.ts';

it.each([
  ['20260501_051200.WAV', '2026-05-01'],
  ['SMA01234_20251231_235959.wav', '2025-12-31'],
  ['Recording 2026-05-01 at 5.12.m4a', '2026-05-01'],
  ['2026_05_01.mp3', '2026-05-01'],
  ['20260501_051244T.WAV', '2026-05-01'],
  ['SITE-1_20260501_051200.wav', '2026-05-01'],
  ['20260501 051244.m4a', '2026-05-01'],
  ['PTT-20260501-WA0001.opus', '2026-05-01'],
  ['Voice 260501_051244.m4a', '2026-05-01'],
  ['260501_0512.mp3', '2026-05-01'],
  ['260501-051244.WAV', '2026-05-01'],
  ['Aufnahme 01.05.2026.m4a', '2026-05-01'],
])('finds the date in %s', (name, date) => {
  expect(dateFromFileName(name)).toBe(date);
});

it.each([
  'morning.m4a',
  'New Recording 12.m4a',
  'XC121015-02.mp3',
  '19700101_000000.WAV',
  'ZOOM0001.WAV',
  '01-05-2026.m4a',
  '20261301.wav',
  '2026-02-30.wav',
  'XC1202605019.mp3',
  '2026-0501.wav',
  '18991231.wav',
])('finds none in %s', (name) => {
  expect(dateFromFileName(name)).toBeNull();
});
