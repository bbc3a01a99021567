import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeRecording } from '../decode/decode-recording.ts';
import { encode } from '../testing/encode.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { cutSegment } from './cut-segment.ts';

const signal = new AbortController().signal;
/** Each second has its own pitch: 1000 Hz, 1500 Hz, … */
const staircase = (seconds: number, channel: number): number =>
  (channel === 0 ? 0.4 : 0.1) * Math.sin(2 * Math.PI * (1000 + 500 * Math.floor(seconds)) * seconds);
const SECRET = 'the nest by the old mill';

async function decode(path: string, sampleRate: number) {
  const decoded = await decodeRecording(path, { ffmpegPath, sampleRate, signal });
  const samples: number[] = [];
  for await (const piece of decoded.samples) samples.push(...piece);
  return { samples, channels: decoded.channels, sampleRate: decoded.sampleRate };
}

describe('Cutting a segment for `chiffchaff segments` (`cutSegment`)', () => {
  const folder = temporaryFolder();
  const put = async (name: string, bytes: Uint8Array): Promise<string> => {
    await mkdir(folder.path, { recursive: true });
    await writeFile(join(folder.path, name), bytes);
    return join(folder.path, name);
  };

  it.each([
    ['wav', 'wav', 16],
    ['wav', 'flac', 24],
    ['flac', 'wav', 16],
    ['flac', 'flac', 16],
    ['flac', 'wav', 24],
  ] as const)(
    'cuts a segment from %s into %s of %i bits with the same rate, channels and samples',
    async (from, format, bits) => {
      const whole = makeWav({ seconds: 6, sampleRate: 22_050, channels: 2, bits, sample: staircase });
      const wav = await put('whole.wav', whole);
      const path = from === 'wav' ? wav : await encode(wav, folder.path, `whole${bits}.flac`, '-metadata', `comment=${SECRET}`);
      const target = join(folder.path, `clip.${format}`);
      const stretch = { startSeconds: 2.5, endSeconds: 4 };
      expect(await cutSegment({ path, target, stretch, format, ffmpegPath }, signal)).toEqual({ seconds: 1.5 });
      const [clip, original] = [await decode(target, 22_050), await decode(wav, 22_050)];
      expect(clip).toMatchObject({ channels: 2, sampleRate: 22_050 });
      expect(clip.samples).toEqual(original.samples.slice(2 * 2.5 * 22_050, 2 * 4 * 22_050));
      expect((await readFile(target)).includes(SECRET)).toBe(false);
    },
  );

  it('cuts a segment near the end of a FLAC of ten minutes with exactly the samples that are there', async () => {
    const wav = await put('long.wav', makeWav({ seconds: 600, sampleRate: 4000, sample: (at) => 0.4 * Math.sin(at * at) }));
    const path = await encode(wav, folder.path, 'long.flac');
    const target = join(folder.path, 'clip.wav');
    const stretch = { startSeconds: 570.25, endSeconds: 575.25 };
    expect(await cutSegment({ path: path ?? '', target, stretch, format: 'wav', ffmpegPath }, signal)).toEqual({ seconds: 5 });
    const clip = await readFile(target);
    const original = await readFile(wav);
    expect(clip.subarray(-2 * 5 * 4000)).toEqual(original.subarray(44 + 2 * 570.25 * 4000, 44 + 2 * 575.25 * 4000));
  });

  it.each([
    ['mp3', ['-c:a', 'libmp3lame', '-q:a', '4']],
    ['opus', ['-c:a', 'libopus']],
    ['ogg', ['-c:a', 'libvorbis']],
    ['m4a', ['-c:a', 'aac']],
  ])('cuts a segment from %s to a hundredth of a second, without the metadata of the recording', async (extension, args) => {
    const wav = await put('whole.wav', makeWav({ seconds: 12, sampleRate: 48_000, sample: staircase }));
    const path = await encode(wav, folder.path, `whole.${extension}`, ...args, '-metadata', `comment=${SECRET}`);
    const target = join(folder.path, 'clip.wav');
    const { seconds } = await cutSegment(
      { path, target, stretch: { startSeconds: 7, endSeconds: 10 }, format: 'wav', ffmpegPath },
      signal,
    );
    expect(seconds).toBeCloseTo(3, 2);
    const { samples, sampleRate } = await decode(target, 48_000);
    expect(sampleRate).toBe(48_000);
    for (const second of [0, 1, 2]) {
      const tenth = samples.slice((second + 0.45) * 48_000, (second + 0.55) * 48_000);
      const crossings = tenth.filter((sample, n) => n > 0 && sample < 0 !== (tenth[n - 1] ?? 0) < 0).length;
      expect(crossings * 5, `second ${second}`).toBeCloseTo(4500 + 500 * second, -2);
    }
    expect((await readFile(target)).includes(SECRET)).toBe(false);
  });

  it('shortens a segment that reaches beyond the end of the recording', async () => {
    const path = await put('short.wav', makeWav({ seconds: 2, sampleRate: 8000 }));
    for (const format of ['wav', 'flac'] as const) {
      const cut = (startSeconds: number) => {
        const target = join(folder.path, `end-${startSeconds}.${format}`);
        return cutSegment({ path, target, stretch: { startSeconds, endSeconds: startSeconds + 3 }, format, ffmpegPath }, signal);
      };
      expect(await cut(1.5)).toEqual({ seconds: 0.5 });
      expect(await cut(4)).toEqual({ seconds: 0 });
    }
  });

  it('refuses a text file with RECORDING_UNSUPPORTED, and stops when it is cancelled', async () => {
    const path = await put('text', new TextEncoder().encode('no sound at all'));
    const task = { path, target: join(folder.path, 'clip'), stretch: { startSeconds: 0, endSeconds: 1 }, ffmpegPath };
    await expect(cutSegment({ ...task, format: 'wav' }, signal)).rejects.toMatchObject({ code: 'RECORDING_UNSUPPORTED' });
    await expect(cutSegment({ ...task, format: 'flac' }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
