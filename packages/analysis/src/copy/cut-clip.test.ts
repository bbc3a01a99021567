import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encode } from '../testing/encode.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { cutClip } from './cut-clip.ts';

const signal = new AbortController().signal;
/** Each second has its own pitch: 1000 Hz, 1500 Hz, … */
const staircase = (seconds: number): number => 0.4 * Math.sin(2 * Math.PI * (1000 + 500 * Math.floor(seconds)) * seconds);

/** The pitch (Hz) in the tenth of a second around a time of a clip, from the number of zero crossings. */
function pitchAt(clip: Uint8Array, seconds: number): number {
  const samples = new DataView(clip.buffer, clip.byteOffset + 44);
  const from = Math.round((seconds - 0.05) * 32_000);
  let crossings = 0;
  for (let n = from; n < from + 3200; n += 1)
    if (samples.getInt16(2 * n, true) < 0 !== samples.getInt16(2 * n + 2, true) < 0) crossings += 1;
  return crossings * 5;
}

describe('Cutting a stretch of a recording to be played (`cutClip`)', () => {
  const folder = temporaryFolder();

  it.each(['recording.wav', 'recording.flac', 'recording.mp3', 'recording.webm'])(
    'cuts a stretch out of %s as a WAV',
    async (name) => {
      const wav = join(folder.path, 'staircase');
      await writeFile(wav, makeWav({ seconds: 12, sample: staircase, channels: 2, sampleRate: 44_100 }));
      const path = name.endsWith('wav') ? wav : await encode(wav, folder.path, name, '-metadata', 'artist=Ann Owner');
      const clip = await cutClip({ path, stretch: { startSeconds: 7, endSeconds: 10 }, ffmpegPath }, signal);
      expect(clip.length).toBe(44 + 3 * 32_000 * 2);
      for (const second of [0, 1, 2])
        expect(pitchAt(clip, second + 0.5), `second ${second}`).toBeCloseTo(4500 + 500 * second, -2);
    },
  );

  it('writes a WAV header of 44 bytes that states the length, and nothing behind the samples', async () => {
    const path = join(folder.path, 'short');
    await writeFile(path, makeWav({ seconds: 2 }));
    const clip = Buffer.from(await cutClip({ path, stretch: { startSeconds: 1, endSeconds: 5 }, ffmpegPath }, signal));
    expect([clip.toString('latin1', 0, 4), clip.toString('latin1', 8, 16), clip.toString('latin1', 36, 40)]).toEqual([
      ...['RIFF', 'WAVEfmt ', 'data'],
    ]);
    expect([clip.readUInt32LE(4) + 8, clip.readUInt32LE(40) + 44]).toEqual([clip.length, clip.length]);
    // The clip ends with the recording.
    expect(clip.length).toBe(44 + 32_000 * 2);
  });

  it('refuses a text file with RECORDING_UNSUPPORTED, and stops when it is cancelled', async () => {
    const path = join(folder.path, 'text');
    await writeFile(path, 'no sound at all');
    const stretch = { startSeconds: 0, endSeconds: 1 };
    await expect(cutClip({ path, stretch, ffmpegPath }, signal)).rejects.toMatchObject({ code: 'RECORDING_UNSUPPORTED' });
    await expect(cutClip({ path, stretch, ffmpegPath }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
