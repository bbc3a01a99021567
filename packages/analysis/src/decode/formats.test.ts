import { describe, expect, it } from 'vitest';
import { concat, le32, noise } from '../testing/bytes.ts';
import { encode } from '../testing/encode.ts';
import { makeSilentFlac } from '../testing/make-flac.ts';
import { makeMov } from '../testing/make-mov.ts';
import { makeOggPage } from '../testing/make-ogg.ts';
import { makeWav, risingTone } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

/** How alike two signals are, −1…1, at the best of small shifts: encoders insert some silence at the start. */
function likeness(a: Float32Array, b: Float32Array): number {
  let best = -1;
  for (let shift = -3000; shift <= 3000; shift += 1) {
    let product = 0;
    let energyA = 0;
    let energyB = 0;
    // One stretch is enough: it is below 3 kHz, which every format here keeps.
    for (let i = 5000; i < 7000; i++) {
      const x = a[i] ?? 0;
      const y = b[i + shift] ?? 0;
      product += x * y;
      energyA += x * x;
      energyB += y * y;
    }
    best = Math.max(best, product / Math.sqrt(energyA * energyB || 1));
  }
  return best;
}

const tone = Float32Array.from({ length: 3 * 48_000 }, (_, index) => risingTone(index / 48_000));

describe('Decoding a WAV', () => {
  const folder = temporaryFolder();

  it.each([
    { bits: 8, codec: 'pcm_u8', tolerance: 0.02 },
    { bits: 16, codec: 'pcm_s16le', tolerance: 1e-4 },
    { bits: 24, codec: 'pcm_s24le', tolerance: 1e-6 },
    { bits: 32, codec: 'pcm_s32le', tolerance: 1e-6 },
    { bits: 32, float: true, codec: 'pcm_f32le', tolerance: 1e-7 },
    { bits: 64, float: true, codec: 'pcm_f64le', tolerance: 1e-7 },
  ])('of $codec gives every sample', async ({ codec, tolerance, ...shape }) => {
    const decoded = await readAll(folder.write('tone.wav', makeWav({ seconds: 3, ...shape })));
    expect(decoded).toMatchObject({ container: 'wav', codec, sampleRate: 48_000, channels: 1, statedSeconds: 3 });
    expect(decoded.end).toEqual({ durationSeconds: 3, truncated: false, missingShare: 0 });
    expect(decoded.all.length).toBe(tone.length);
    const worst = decoded.all.reduce((most, sample, index) => Math.max(most, Math.abs(sample - (tone[index] ?? 0))), 0);
    expect(worst).toBeLessThan(tolerance);
  });

  it('keeps its channels apart and in order', async () => {
    const shape = { seconds: 1, channels: 6, sample: (_: number, channel: number) => channel / 10 };
    const { all, channels } = await readAll(folder.write('six.wav', makeWav(shape)));
    expect(channels).toBe(6);
    expect([...all.subarray(600, 606)].map((sample) => Math.round(sample * 1000) / 1000)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
  });

  it.each([8000, 11_025, 16_000, 22_050, 44_100, 96_000, 192_000, 384_000])(
    'of %i Hz gives samples at the requested rate',
    async (sampleRate) => {
      const wav = makeWav({ seconds: 3, sampleRate });
      const decoded = await readAll(folder.write('rate.wav', wav));
      expect(decoded.sampleRate).toBe(sampleRate);
      expect(Math.abs(decoded.all.length - tone.length)).toBeLessThanOrEqual(2);
      expect(likeness(decoded.all, tone)).toBeGreaterThan(0.99);
    },
  );

  it('of digital silence succeeds', async () => {
    const { all } = await readAll(folder.write('silence.wav', makeWav({ sample: () => 0 })));
    expect(all.length).toBe(48_000);
    expect(all.every((sample) => sample === 0)).toBe(true);
  });

  it('of floats gives silence for NaN and leaves the other samples unchanged', async () => {
    const sample = (seconds: number) => (seconds > 0.2 && seconds < 0.3 ? Number.NaN : 0.25);
    const { all } = await readAll(folder.write('nan.wav', makeWav({ bits: 32, float: true, sample })));
    expect(all.every(Number.isFinite)).toBe(true);
    expect(all[40_000]).toBe(0.25);
  });

  it('whose header was never finished reads it to its end', async () => {
    const stated = { dataBytes: 0, riffBytes: 0 };
    const { end } = await readAll(folder.write('unfinished.wav', makeWav({ seconds: 2, stated })));
    expect(end).toEqual({ durationSeconds: 2, truncated: false, missingShare: 0 });
  });
});

describe('Decoding a recording made by an encoder', () => {
  const folder = temporaryFolder();
  const source = () => folder.write('source.wav', makeWav({ seconds: 3 }));

  it.each<[name: string, container: string, codec: string, ...args: string[]]>([
    ['ima.wav', 'wav', 'adpcm_ima_wav', '-c:a', 'adpcm_ima_wav'],
    ['ms.wav', 'wav', 'adpcm_ms', '-c:a', 'adpcm_ms'],
    ['mulaw.wav', 'wav', 'pcm_mulaw', '-c:a', 'pcm_mulaw'],
    ['alaw.wav', 'wav', 'pcm_alaw', '-c:a', 'pcm_alaw'],
    ['mp3-in.wav', 'wav', 'mp3', '-c:a', 'libmp3lame'],
    ['a.rf64.wav', 'rf64', 'pcm_s16le', '-rf64', 'always'],
    ['a.w64', 'w64', 'pcm_s16le'],
    ['a.flac', 'flac', 'flac'],
    ['a.mp3', 'mp3', 'mp3'],
    ['no-header.mp3', 'mp3', 'mp3', '-write_xing', '0', '-id3v2_version', '0'],
    ['a.m4a', 'mp4', 'aac', '-c:a', 'aac'],
    ['alac.m4a', 'mp4', 'alac', '-c:a', 'alac'],
    ['fragmented.m4a', 'mp4', 'aac', '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '500000'],
    ['a.aac', 'aac', 'aac', '-c:a', 'aac'],
    ['a.mov', 'mov', 'aac', '-c:a', 'aac'],
    ['a.3gp', '3gp', 'aac', '-c:a', 'aac'],
    ['vorbis.ogg', 'ogg', 'vorbis', '-c:a', 'libvorbis'],
    ['opus.ogg', 'ogg', 'opus', '-c:a', 'libopus'],
    ['flac.ogg', 'ogg', 'flac', '-c:a', 'flac'],
    ['a.webm', 'webm', 'opus', '-c:a', 'libopus'],
    ['a.mkv', 'matroska', 'vorbis', '-c:a', 'libvorbis'],
    ['a.aiff', 'aiff', 'pcm_s16be'],
    ['a.caf', 'caf', 'pcm_s16be'],
    ['v1.wma', 'asf', 'wmav1', '-c:a', 'wmav1'],
    ['v2.wma', 'asf', 'wmav2', '-c:a', 'wmav2'],
    ['a.wv', 'wavpack', 'wavpack'],
    ['a.ac3', 'ac3', 'ac3'],
  ])('(%s) gives the tone that was encoded', async (name, container, codec, ...args) => {
    const path = await encode(source(), folder.path, name, ...args);
    const decoded = await readAll(path);
    expect(decoded).toMatchObject({ container, codec, channels: 1 });
    expect(decoded.end?.truncated).toBe(false);
    expect(decoded.end?.durationSeconds).toBeGreaterThan(2.9);
    expect(decoded.end?.durationSeconds).toBeLessThan(3.2);
    expect(likeness(decoded.all, tone)).toBeGreaterThan(0.9);
  });

  it.each(['mp4', 'mov', 'mkv'])('gives the audio of a video (%s)', async (ending) => {
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'color=black:size=64x48:rate=5:duration=6',
      '-c:v',
      'mpeg4',
      '-c:a',
      'aac',
      '-shortest',
    ];
    const path = await encode(source(), folder.path, `video.${ending}`, ...picture);
    const decoded = await readAll(path);
    expect(decoded.codec).toBe('aac');
    expect(decoded.end?.truncated).toBe(false);
    expect(likeness(decoded.all, tone)).toBeGreaterThan(0.9);
  });

  it('does not depend on the file name', async () => {
    const bytes = makeWav({ seconds: 1 });
    const names = ['a.mp3', 'a', 'a.txt', '-i.wav', 'a:b.m3u8', 'http:__x.wav', "it's\na %03d wren*.wav"];
    for (const name of names) {
      const { container, all } = await readAll(folder.write(name, bytes));
      expect({ container, length: all.length }).toEqual({ container: 'wav', length: 48_000 });
    }
  });
});

describe('Decoding a recording in a rarer format', () => {
  const folder = temporaryFolder();

  it('reads AMR', async () => {
    const frame = (index: number) => concat([0x3c], noise(31, index + 1));
    const amr = concat('#!AMR\n', ...Array.from({ length: 100 }, (_, index) => frame(index)));
    const decoded = await readAll(folder.write('voice.amr', amr));
    expect(decoded).toMatchObject({ container: 'amr', codec: 'amr_nb', sampleRate: 8000, channels: 1 });
    expect(decoded.end?.durationSeconds).toBeCloseTo(2, 1);
  });

  it('reads wide-band AMR', async () => {
    const frame = (index: number) => concat([0x44], noise(60, index + 1));
    const amr = concat('#!AMR-WB\n', ...Array.from({ length: 100 }, (_, index) => frame(index)));
    expect(await readAll(folder.write('voice.awb', amr))).toMatchObject({
      container: 'amr',
      codec: 'amr_wb',
      sampleRate: 16_000,
    });
  });

  it('reads Speex', async () => {
    // Narrowband at 8 kbit/s (submode 3), 20 ms a frame.
    const numbers = [8000, 0, 4, 1, -1, 160, 0, 1, 0, 0, 0].map((value) => le32(value));
    const head = concat('Speex   ', '1.2.1'.padEnd(20, '\0'), le32(1), le32(80), ...numbers);
    const frames = Array.from({ length: 100 }, (_, index) => concat([0x18], noise(19, index + 1)));
    const pages = [
      makeOggPage([head], { flags: 2 }),
      makeOggPage([concat(le32(4), 'none', le32(0))], { number: 1 }),
      makeOggPage(frames, { number: 2, granule: 16_000, flags: 4 }),
    ];
    const decoded = await readAll(folder.write('speex.ogg', concat(...pages)));
    expect(decoded).toMatchObject({ container: 'ogg', codec: 'speex', sampleRate: 8000, channels: 1 });
    expect(decoded.end?.durationSeconds).toBeCloseTo(2, 1);
  });

  it('reads a QuickTime movie without a file type', async () => {
    expect((await readAll(folder.write('a.mov', makeMov()))).end?.durationSeconds).toBe(2);
  });

  it('ignores bytes that follow the recording in the same file', async () => {
    const wav = makeWav({ seconds: 1 });
    expect((await readAll(folder.write('wav-and-zip', concat(wav, 'PK\x03\x04', noise(1000))))).all.length).toBe(48_000);
  });

  it('reads a FLAC of silence that states no duration to its end', async () => {
    const { end } = await readAll(folder.write('a.flac', makeSilentFlac({ seconds: 30, statedSamples: 0 })));
    expect(end?.durationSeconds).toBeGreaterThanOrEqual(30);
    expect(end?.truncated).toBe(false);
  });
});
