import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDownmix } from '@chiffchaff/recognizer';
import { createNoise } from '@chiffchaff/testing';
import { describe, expect, it } from 'vitest';
import { decodeRecording } from '../decode/decode-recording.ts';
import { encode } from '../testing/encode.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { copySound } from './copy-sound.ts';

const signal = new AbortController().signal;
/** Each second has its own pitch: 1000 Hz, 1500 Hz, … */
const pitchOf = (second: number): number => 1000 + 500 * second;
const staircase = (seconds: number): number => 0.4 * Math.sin(2 * Math.PI * pitchOf(Math.floor(seconds)) * seconds);

async function decode(path: string, stretch?: { startSeconds: number; endSeconds: number }): Promise<Float32Array> {
  const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal, stretch });
  const downmix = createDownmix(decoded.channels);
  const pieces: Float32Array[] = [];
  for await (const samples of decoded.samples) pieces.push(downmix.push(samples).slice());
  pieces.push(downmix.end());
  return Float32Array.from(pieces.flatMap((piece) => [...piece]));
}

/** The pitch (Hz) in the tenth of a second around a time, from the number of zero crossings. */
function pitchAt(samples: Float32Array, seconds: number): number {
  let crossings = 0;
  const from = Math.round((seconds - 0.05) * 48_000);
  for (let n = from; n < from + 4800; n += 1) if ((samples[n] ?? 0) < 0 !== (samples[n + 1] ?? 0) < 0) crossings += 1;
  return crossings * 5;
}

describe('Copying a recording to be kept (`copySound`)', () => {
  const folder = temporaryFolder();

  async function record(seconds: number, shape: Parameters<typeof makeWav>[0] = {}): Promise<string> {
    const path = join(folder.path, 'recording');
    await writeFile(path, makeWav({ seconds, sample: staircase, ...shape }));
    return path;
  }

  it('makes a WebM of the whole recording in which any stretch can be decoded by itself', async () => {
    const path = await record(20, { sampleRate: 44_100, channels: 2 });
    const copy = join(folder.path, 'copy');
    await copySound({ path: path, target: copy, ffmpegPath, channels: 2, durationSeconds: 20 }, signal);
    expect((await readFile(copy)).toString('latin1', 0, 64)).toContain('webm');
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const whole = await decode(copy);
    expect(whole.length / 48_000).toBeCloseTo(20, 1);
    const late = await decode(copy, { startSeconds: 12, endSeconds: 15 });
    expect(late.length / 48_000).toBeCloseTo(3, 1);
    for (const second of [0, 1, 2]) expect(pitchAt(late, second + 0.5)).toBeCloseTo(pitchOf(12 + second), -2);
  });

  it('joins stretches of a recording, each on time to a hundredth of a second', async () => {
    const path = await record(10);
    const mp3 = await encode(path, folder.path, 'recording.mp3', '-c:a', 'libmp3lame', '-b:a', '128k');
    const stretches = [
      { startSeconds: 1.5, endSeconds: 2.5 },
      { startSeconds: 7.25, endSeconds: 8.25 },
    ];
    for (const source of [path, mp3]) {
      const copy = join(folder.path, 'moments');
      await copySound({ path: source, target: copy, ffmpegPath, channels: 1, durationSeconds: 10, stretches }, signal);
      const samples = await decode(copy);
      expect(samples.length / 48_000).toBeCloseTo(2, 2);
      const pitches = [0.25, 0.75, 1.35, 1.85].map((seconds) => pitchAt(samples, seconds));
      for (const [index, second] of [1, 2, 7, 8].entries()) expect(pitches[index]).toBeCloseTo(pitchOf(second), -2);
    }
  });

  it('joins hundreds of stretches', async () => {
    const path = await record(40);
    const copy = join(folder.path, 'moments');
    const stretches = Array.from({ length: 200 }, (_, index) => ({ startSeconds: index / 5, endSeconds: index / 5 + 0.1 }));
    await copySound({ path, target: copy, ffmpegPath, channels: 1, durationSeconds: 40, stretches }, signal);
    expect((await decode(copy)).length / 48_000).toBeCloseTo(20, 1);
  });

  it('copies the first two of many channels', async () => {
    const path = await record(2, { channels: 12, sample: (seconds, channel) => (channel < 2 ? staircase(seconds) : 0) });
    const copy = join(folder.path, 'copy');
    await copySound({ path: path, target: copy, ffmpegPath, channels: 12, durationSeconds: 2 }, signal);
    const decoded = await decodeRecording(copy, { ffmpegPath, sampleRate: 48_000, signal });
    expect(decoded.channels).toBe(2);
    await decoded.stop();
    expect(pitchAt(await decode(copy), 1.5)).toBeCloseTo(1500, -2);
  });

  it('refuses a text file with RECORDING_UNSUPPORTED, and stops when it is cancelled', async () => {
    const path = join(folder.path, 'text');
    await writeFile(path, 'no sound at all');
    const copy = join(folder.path, 'copy');
    await expect(
      copySound({ path: path, target: copy, ffmpegPath, channels: 1, durationSeconds: 1 }, signal),
    ).rejects.toMatchObject({
      code: 'RECORDING_UNSUPPORTED',
    });
    const controller = new AbortController();
    const long = await record(120);
    const copying = copySound({ path: long, target: copy, ffmpegPath, channels: 1, durationSeconds: 120 }, controller.signal);
    // biome-ignore lint/plugin: sleeps; to become a gate
    setTimeout(() => controller.abort(), 50);
    await expect(copying).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('stops writing at the size that a copy of the stated duration can need', async () => {
    const path = await record(400, { sample: createNoise(), channels: 2, sampleRate: 24_000 });
    const copy = join(folder.path, 'copy');
    // The limit is reached after two minutes of sound. On a busy machine, encoding so much takes too long at the lowest priority.
    const task = { path, target: copy, ffmpegPath, channels: 1, durationSeconds: 1, urgency: 'waitedFor' as const };
    await expect(copySound(task, signal)).rejects.toThrow();
    expect((await stat(copy)).size).toBeLessThanOrEqual(1_100_000);
  });
});
