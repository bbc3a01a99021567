import { describe, expect, it } from 'vitest';
import { ffmpegPath, needsFfmpeg } from '../testing/find-ffmpeg.ts';
import { makeWav, type WavShape } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { type DecodedRecording, decodeRecording } from './decode-recording.ts';
import { defaultDecodeLimits } from './limits.ts';
import { readPlainWave } from './read-plain-wave.ts';

const { signal } = new AbortController();
const options = { sampleRate: 48_000, signal, limits: defaultDecodeLimits };

async function wholeOf(decoded: DecodedRecording) {
  const samples: number[] = [];
  for await (const piece of decoded.samples) samples.push(...piece);
  await decoded.stop();
  const { container, codec, sampleRate, channels, end } = decoded;
  return { samples, described: { container, codec, sampleRate, channels, end } };
}

describe('a plain WAV file', () => {
  needsFfmpeg();
  const folder = temporaryFolder();
  const noise = (seconds: number, channel: number) => Math.sin(12_345 * seconds) * (channel === 0 ? 1 : -0.3);

  it.each<WavShape>([
    { seconds: 3 },
    { seconds: 3.00001, sample: noise },
    { seconds: 1.7, channels: 2, sample: noise },
    { seconds: 0.9, bits: 24, sample: noise },
    { seconds: 0.9, bits: 24, channels: 2, sample: noise },
  ])('gives the samples that ffmpeg gives, bit for bit: %j', async (shape) => {
    const path = folder.write('a.wav', makeWav(shape));
    const own = await readPlainWave(path, options);
    if (own === null) throw new Error('not read');
    const { samples, described } = await wholeOf(own);
    const other = await wholeOf(await decodeRecording(path, { ...options, ffmpegPath }));
    expect(described).toEqual(other.described);
    expect(samples.length).toBe(other.samples.length);
    expect(samples.findIndex((sample, index) => sample !== other.samples[index])).toBe(-1);
  });

  it.each<[string, Uint8Array]>([
    ['another rate', makeWav({ sampleRate: 44_100 })],
    ['floats', makeWav({ float: true, bits: 32 })],
    ['eight bits', makeWav({ bits: 8 })],
    ['many channels', makeWav({ channels: 4 })],
    ['too short', makeWav({ seconds: 0.4 })],
    ['cut off', makeWav({ seconds: 2 }).subarray(0, 100_000)],
    ['of no stated length', makeWav({ stated: { dataBytes: 0xffff_ffff } })],
    ['with a wrong frame size', makeWav({ stated: { blockAlign: 4 } })],
    ['with half a frame at the end', makeWav({ stated: { dataBytes: 95_999 } })],
    ['a header alone', makeWav().subarray(0, 30)],
    ['nothing', new Uint8Array(0)],
  ])('is left to ffmpeg when it is %s', async (_, bytes) => {
    expect(await readPlainWave(folder.write('b.wav', bytes), options)).toBeNull();
  });

  it('stops when it is told to', async () => {
    const stopping = new AbortController();
    const decoded = await readPlainWave(folder.write('c.wav', makeWav({ seconds: 3 })), { ...options, signal: stopping.signal });
    stopping.abort(new Error('stopped'));
    await expect(decoded?.samples[Symbol.asyncIterator]().next()).rejects.toThrow('stopped');
    await decoded?.stop();
  });
});
