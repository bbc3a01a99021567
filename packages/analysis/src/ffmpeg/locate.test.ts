import { describe, expect, it } from 'vitest';
import { inspectFfmpeg, readVersion } from './locate.ts';

const said = (version: string, libavutil: string, configuration = '--enable-gpl --enable-libsoxr --enable-libopus') =>
  `ffmpeg version ${version} Copyright (c) 2000-2026 the FFmpeg developers
built with gcc 12
configuration: ${configuration}
libavutil      ${libavutil}.100 / ${libavutil}.100
`;

describe('The check of ffmpeg’s version', () => {
  it.each([
    ['5.1.9-0+deb12u1', '57. 28'],
    ['n9.0.2-17-g2a571b6068-20260930', '63.  1'],
    ['N-112233-gdeadbeef', '60.  3'],
  ])('accepts ffmpeg %s', (version, libavutil) => {
    expect(readVersion(said(version, libavutil))).toEqual({ suitable: true, version });
  });

  it.each([
    ['an old version', said('4.4.2', '56. 70'), /is ffmpeg 4\.4\.2; version 5 or later is needed/],
    ['a version without soxr', said('6.0', '58.  2', '--enable-gpl'), /without the soxr resampler/],
    [
      'a version with something like soxr',
      said('6.0', '58.  2', '--disable-libsoxr --enable-libsoxrest'),
      /without the soxr resampler/,
    ],
    ['the output of another program', 'VLC media player 3', /is not ffmpeg/],
    ['empty output', '', /is not ffmpeg/],
  ])('refuses %s', (_, output, why) => {
    expect(readVersion(output)).toEqual({ suitable: false, why: expect.stringMatching(why) });
  });
});

describe('The inspection of an ffmpeg program (`inspectFfmpeg`)', () => {
  it('says that a program that does not exist does not run', async () => {
    expect(await inspectFfmpeg('/nowhere/ffmpeg')).toEqual({ suitable: false, why: expect.stringMatching(/^does not run/) });
  });
});
