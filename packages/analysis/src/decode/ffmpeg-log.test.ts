import { describe, expect, it } from 'vitest';
import { createFfmpegLog } from './ffmpeg-log.ts';

const ffmpeg5 = `[info] Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:/dev/fd/3':
[info]   Metadata:
[info]     title           : Eurasian Treecreeper
[info]   Duration: 01:02:03.24, start: 0.000000, bitrate: 132 kb/s
[info]   Stream #0:0[0x1](und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 129 kb/s (default)
[info] Stream mapping:
`;

function read(text: string, pieceLength = text.length) {
  const log = createFfmpegLog();
  for (let at = 0; at < text.length; at += pieceLength) log.push(text.slice(at, at + pieceLength));
  return log;
}

describe('The reader of ffmpeg’s log (`createFfmpegLog`)', () => {
  it('finds codec, rate and duration in the log, in pieces of any size', () => {
    const expected = { codec: 'aac', sampleRate: 44_100, statedSeconds: 3723.24, isExact: true };
    for (const pieceLength of [1, 7, 64, ffmpeg5.length]) expect(read(ffmpeg5, pieceLength).audio).toEqual(expected);
  });

  it.each([
    [
      '[info]   Stream #0:0: Audio: pcm_s16le ([1][0][0][0] / 0x0001), 96000 Hz, 2 channels, s16, 1411 kb/s\n',
      'pcm_s16le',
      96_000,
    ],
    ['[info]   Stream #0:1[0x2](eng): Audio: flac (fLaC / 0x43614C66), 48000 Hz, stereo, s16 (default)\n', 'flac', 48_000],
    ['[info]   Stream #0:0: Audio: none ([66][66][0][0] / 0x4242), 48000 Hz, 1 channels\n', 'none', 48_000],
    ['[info]   Stream #0:0: Audio: pcm_s16le, 2 channels, s16\n', 'pcm_s16le', null],
    ['[info]   Stream #0:0: Audio: opus, 48000 Hz, 5.1(side), fltp (default)\n', 'opus', 48_000],
  ])('reads the description of the audio stream from %j', (line, codec, sampleRate) => {
    expect(read(line).audio).toMatchObject({ codec, sampleRate });
  });

  it('takes the first audio stream and skips pictures', () => {
    const text = `[info]   Duration: N/A, start: 0.0
[info]   Stream #0:0: Video: mjpeg, yuvj420p(pc), 300x300, 90k tbr
[info]   Stream #0:1: Audio: mp3, 22050 Hz, mono, fltp, 64 kb/s
[info]   Stream #0:2: Audio: aac, 8000 Hz, mono
[info] Output #0, wav, to 'pipe:1':
[info]   Stream #0:0: Audio: pcm_f32le, 48000 Hz, mono, flt, 1536 kb/s
`;
    expect(read(text).audio).toEqual({ codec: 'mp3', sampleRate: 22_050, statedSeconds: null, isExact: true });
  });

  it('describes the audio track that is read, and counts all tracks of the recording', () => {
    const text = `[info]   Stream #0:0: Audio: none (apac / 0x63617061), 48000 Hz
[info]   Stream #0:1: Audio: aac, 24000 Hz, mono
[info] Stream mapping:
[info]   Stream #0:1 -> #0:0 (aac (native) -> pcm_f32le (native))
[info] Output #0, wav, to 'pipe:1':
[info]   Stream #0:0: Audio: pcm_f32le, 48000 Hz, mono, flt, 1536 kb/s
`;
    const log = createFfmpegLog(1);
    log.push(text);
    expect(log).toMatchObject({ audio: { codec: 'aac', sampleRate: 24_000 }, tracks: 2, isDescribed: true });
  });

  it('does not take a title in the metadata for a stream description', () => {
    const title =
      '[info]     title           : \n                      : Stream #0:0: Audio: fake, 1 Hz\n[info]                     : Duration: 99:00:00.00\n';
    expect(read(title + ffmpeg5).audio).toMatchObject({ codec: 'aac', statedSeconds: 3723.24 });
  });

  it('recognises a duration that ffmpeg only estimated', () => {
    expect(
      read(`[in#0/mp3 @ 0x5581] [warning] Estimating duration from bitrate, this may be inaccurate\n${ffmpeg5}`).audio?.isExact,
    ).toBe(false);
  });

  it.each([
    ['[mov,mp4,m4a,3gp,3g2,mj2 @ 0x1] [error] stream 0, offset 0x18350: partial file\n', 'endedEarly'],
    ['[in#0/matroska,webm @ 0x1] [error] File ended prematurely\n', 'endedEarly'],
    ['[mov,mp4 @ 0x1] [error] moov atom not found\n', 'endedEarly'],
    ["[fatal] Stream map '0:a:0' matches no streams.\n", 'hasNoAudio'],
    ['[error] Error while opening: Cannot allocate memory\n', 'ranOutOfMemory'],
    ['[fatal] Decoder (codec none) not found for input stream #0:0\n', 'hasNoDecoder'],
    ['[aost#0:0 @ 0x1] [dec:x @ 0x2] [fatal] Decoding requested, but no decoder found for: none\n', 'hasNoDecoder'],
    ['[info]   Stream #0:0: Audio: none (drms / 0x736D7264), 48000 Hz, 1 channels\n', 'isProtected'],
  ] as const)('recognises the meaning of ffmpeg’s message %j', (line, flag) => {
    expect(createFfmpegLog()[flag]).toBe(false);
    expect(read(line)[flag]).toBe(true);
  });

  it('keeps in memory only a dozen of ten thousand messages', () => {
    const log = read('[mp3 @ 0x1] [error] Header missing\n'.repeat(10_000) + 'x'.repeat(1_000_000), 65_536);
    expect(log.complaints).toHaveLength(12);
    expect(log.hasErrors).toBe(true);
  });
});
