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
  ['69F43D2C.WAV', '05:42:04', 0],
  // A counter is not a time zone, and an impossible time of day is ignored.
  ['20260501_051244-0001.wav', '05:12:44', null],
  ['20260501_256199.wav', null, null],
  // Four digits alone are a counter of Tascam, Olympus or Zoom as often as a time of Sony.
  ['260501_0512.mp3', null, null],
  ['260501_0001.wav', null, null],
  ['20260501_0001.wav', null, null],
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

it.each([
  // No date, or a time written otherwise. Sources: fixtures of emu (QutEcoacoustics), known problems of recorders (ecoacoustics), phones.
  ['WhatsApp Audio 2024-05-01 at 10.12.44 PM.wav', '2024-05-01', '22:12:44', null],
  ['WhatsApp Audio 2024-05-01 at 12.12.44 AM.wav', '2024-05-01', '00:12:44', null],
  ['WhatsApp Ptt 2024-05-01 at 12.12.44 PM (1).ogg', '2024-05-01', '12:12:44', null],
  ['WhatsApp Audio 2024-05-01 at 5.12.44 AM.wav', '2024-05-01', '05:12:44', null],
  ['Screen Recording 2024-05-01 at 8.15.30\u202fPM.mov', '2024-05-01', '20:15:30', null],
  ['Bildschirmaufnahme 2024-05-01 um 20.15.30.mov', '2024-05-01', '20:15:30', null],
  ['2024-05-01 17.30.00 am Teich.m4a', '2024-05-01', '17:30:00', null],
  ['Recording 2026-05-01 at 5.12.m4a', '2026-05-01', '05:12:00', null],
  ['2026-05-01 1-20.wav', '2026-05-01', null, null],
  ['20070415051314.wav', '2007-04-15', '05:13:14', null],
  ['20070415051314.wav.trimmed.wav', '2007-04-15', '05:13:14', null],
  ['Recording_20230501051244.wav', '2023-05-01', '05:12:44', null],
  ['PXL_20240501_051244123.wav', '2024-05-01', '05:12:44', null],
  ['PXL_20240501051244123.mp4', '2024-05-01', '05:12:44', null],
  ['OLONG-CH1_0+1_20171121$143444.wav', '2017-11-21', '14:34:44', null],
  ['2024-03-03-birdnet-06:51:38.wav', '2024-03-03', '06:51:38', null],
  ['2024-03-03-birdnet-RTSP_1-06:51:38.wav', '2024-03-03', '06:51:38', null],
  ['Noisy_Miner-87-2025-08-09-birdnet-17:18:34.wav', '2025-08-09', '17:18:34', null],
  ['S20240815T091156.982648+1000_E20240815T091251.967555+1000_-12.34567+78.98102.wav', '2024-08-15', '09:11:56', 600],
  ['S20210205T035946676+1000_E20210205T040446501+1000_-08.0000+000.0000.wav', '2021-02-05', '03:59:46', 600],
  ['20161108T075126.123456-0430_SunriseToSunset [-39.5336 -131.2711].wav', '2016-11-08', '07:51:26', -270],
  ['20091219T070006.789123+1130_00600.wav', '2009-12-19', '07:00:06', 690],
  ['123_20131012_123456-09_456.wav', '2013-10-12', '12:34:56', -540],
  ['20131012T123456+10_456.wav', '2013-10-12', '12:34:56', 600],
  ['20240501_051244-02.wav', '2024-05-01', '05:12:44', null],
  ['20240501_051244_Zaunkoenig.wav', '2024-05-01', '05:12:44', null],
  ['20240501_0512Z.wav', '2024-05-01', '05:12:00', 0],
  ['20240501T0512.wav', '2024-05-01', '05:12:00', null],
  ['201906 7T095935+1000_REC [19.2144 152.8811].wav', '2019-06-07', '09:59:35', 600],
  ['weird20180801_240000.wav', '2018-08-02', '00:00:00', null],
  ['weird20181231_240000-1030.aac', '2019-01-01', '00:00:00', -630],
  ['671629352.181204100002.wav', '2018-12-04', '10:00:02', null],
  ['671629352.201204100002.wav', '2020-12-04', '10:00:02', null],
  ['20191399_20240501_051244.wav', '2024-05-01', '05:12:44', null],
  ['20180517_010348.5AFCD4F4.WAV', '2018-05-17', '01:03:48', null],
  ['0000514b-9329-404c-bdb3-a50827457b15_20100503-080000Z.mp3', '2010-05-03', '08:00:00', 0],
  ['20180226_040000Z_+40.1213-075.0015+2.79CRSWGS_84.wav', '2018-02-26', '04:00:00', 0],
  ['PILLIGA_20121204_234600_+13-090.wav', '2012-12-04', '23:46:00', null],
  ['5e90a4d4.wav', '2020-04-10', '16:54:44', 0],
  ['5E90A4D4.flac', '2020-04-10', '16:54:44', 0],
  ['short_time_180801_1630_test.wav', '2018-08-01', null, null],
  ['ST1_5147.240501051244.wav', '2024-05-01', '05:12:44', null],
  ['2024-05-01T05_12_44.541Z.mp3', '2024-05-01', '05:12:44', 0],
  ['Turdus_merula_85p_20240501T051244Z.wav', '2024-05-01', '05:12:44', 0],
  ['20240501 051244-1030ABCD.qta', '2024-05-01', '05:12:44', null],
  ['signal-2024-05-01-05-12-44-123.aac', '2024-05-01', '05:12:44', null],
  ['audio_2024-05-01_05-12-44.ogg', '2024-05-01', '05:12:44', null],
  ['D20240501-T051244.wav', '2024-05-01', '05:12:44', null],
  ['240501_001.WAV', '2024-05-01', null, null],
  ['01.05.2024, 05.12.44.m4a', '2024-05-01', '05:12:44', null],
])('The day and the time of a recording are found in the file name %s', (name, date, time, offsetMinutes) => {
  expect(timeFromFileName(name)).toEqual({ date, time, offsetMinutes });
});

it.each([
  '60123456.wav',
  '86f5923d-ef1d-4159-b120-a8dec3f6334e.wav',
  'prefix5AFCD4F4prefix.WAV',
  '20240599051244.wav',
  '20240501987654.wav',
])('Numbers are not taken for a day in the file name %s', (name) => {
  expect(timeFromFileName(name)).toBeNull();
});

it.each([
  ['8537_20210614T120000-0300_every1d6x4hrs [+44.72053-062.80072].wav', 44.72053, -62.80072],
  ['20180226_040000_Bar29 _27.2819 90.1361_.wav', 27.2819, 90.1361],
  ['20160823_063006_Dawn _-1.4763 178.8986_.wav', -1.4763, 178.8986],
  ['20180226_040000Z_+40.1213-075.0015+2.79CRSWGS_84.wav', 40.1213, -75.0015],
  ['PILLIGA_20121204_234600_+13-090.wav', 13, -90],
  ['S20210205T035946676+1000_E20210205T040446501+1000_-08.0000+000.0000.wav', -8, 0],
  ['20210617T080000+0000_Rec2_-18.2656+144.5564.flac', -18.2656, 144.5564],
])('The place of a recording is found in the file name %s', (name, latitude, longitude) => {
  expect(placeFromFileName(name)).toEqual({ latitude, longitude });
});

it('The number of a SoundTrap is found in file names', () => {
  expect(recorderFromFileName('671629352.181204100002.wav')).toBe('671629352');
});
