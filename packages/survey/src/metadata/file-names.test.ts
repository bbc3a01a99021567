import { expect, it } from 'vitest';
import { placeFromFileName, recorderFromFileName, timeFromFileName } from './file-names.ts';

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
])('The date of a recording is found in the file name %s', (name, date) => {
  expect(timeFromFileName(name)?.date).toBe(date);
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
])('No date is found in the file name %s', (name) => {
  expect(timeFromFileName(name)).toBeNull();
});

it.each([
  ['20260501_051244.WAV', '05:12:44', null],
  ['20260501_051244T.WAV', '05:12:44', null],
  ['20260501_051244_000.wav', '05:12:44', null],
  ['20260501T051244+1000_REC [-27.3866 152.8761].flac', '05:12:44', 600],
  ['S20260501T051244.5000+0930_E20260501T060000.0000+0930_-27.38+152.87.wav', '05:12:44', 570],
  ['SWIFT07_20260501_051244_-0400.wav', '05:12:44', -240],
  ['2026-05-01T05-12-44Z.flac', '05:12:44', 0],
  ['2026-05-01 05.12.44.m4a', '05:12:44', null],
  ['260501-051244.WAV', '05:12:44', null],
  ['260501_0512.mp3', '05:12:00', null],
  ['69F43D2C.WAV', '05:42:04', 0],
  // A counter is not a time zone, and an impossible time of day is ignored.
  ['20260501_051244-0001.wav', '05:12:44', null],
  ['20260501_256199.wav', null, null],
  ['PTT-20260501-WA0001.opus', null, null],
])('The time of a recording is found in the file name %s', (name, time, offsetMinutes) => {
  expect(timeFromFileName(name)).toEqual({ date: '2026-05-01', time, offsetMinutes });
});

it('Place and recorder are found in file names', () => {
  expect(placeFromFileName('20260501T051244+1000_REC [-27.3866 152.8761].flac')).toEqual({
    latitude: -27.3866,
    longitude: 152.8761,
  });
  expect(placeFromFileName('a/20260501T051244+1000_Creek_-27.3912+152.7321.flac')).toEqual({
    latitude: -27.3912,
    longitude: 152.7321,
  });
  expect(placeFromFileName('20260501_051244_12.5-30.2.wav')).toBeNull();
  expect(
    ['SMM01234_20260501_051200.wav', 'S4_0+1_20260501_051200.wav', 'S4__1__20260501_051200.wav'].map(recorderFromFileName),
  ).toEqual(['SMM01234', 'S4', 'S4']);
  expect(recorderFromFileName('20260501_051200.WAV')).toBeNull();
});
