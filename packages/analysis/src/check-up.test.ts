import { createSoundCheckUp, downmix, type SoundFinding } from '@chiffchaff/recognizer';
import { describe, expect, it } from 'vitest';
import { decodeRecording } from './decode/decode-recording.ts';
import { encode } from './testing/encode.ts';
import { ffmpegPath } from './testing/installed.ts';
import { makeWav } from './testing/make-wav.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const SAMPLE_RATE = 48_000;

/** The check-up that an analyzer makes of a recording, without a model. */
async function checkUpOf(path: string): Promise<readonly SoundFinding[]> {
  const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: SAMPLE_RATE, signal: new AbortController().signal });
  const checkUp = createSoundCheckUp({ sampleRate: SAMPLE_RATE, channels: decoded.channels });
  async function* heard() {
    for await (const piece of decoded.samples) {
      checkUp.pushChannels(piece);
      yield piece;
    }
  }
  for await (const mono of downmix(heard(), decoded.channels)) checkUp.pushMono(mono);
  return checkUp.end();
}

/** Birds from 3 to 4 kHz over even noise; the same samples every time. */
function birdsAndNoise(loudness: number, noiseLevel: number): (seconds: number) => number {
  let state = 1;
  return (seconds) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const at = seconds % 0.5;
    const bird = at < 0.3 ? Math.sin((Math.PI * at) / 0.3) * Math.sin(2 * Math.PI * (3000 + 1500 * at) * at) : 0;
    return loudness * bird + noiseLevel * ((2 * state) / 2 ** 32 - 1);
  };
}

const codings: readonly (readonly [name: string, ...args: string[]])[] = [
  ['a.wav'],
  ['a.flac', '-af', 'volume=0.5'],
  ['a.mp3', '-b:a', '128k'],
  ['low.mp3', '-b:a', '64k'],
  ['a.opus', '-c:a', 'libopus', '-b:a', '64k'],
  ['a.m4a', '-c:a', 'aac', '-b:a', '96k'],
];

describe('The check-up of an encoded recording', () => {
  const folder = temporaryFolder();
  const source = (loudness: number, noiseLevel: number): string =>
    folder.write('s.wav', makeWav({ seconds: 6, sampleRate: 44_100, sample: birdsAndNoise(loudness, noiseLevel) }));

  it.each(codings)(
    'finds clipping in a recording that was converted to another sampling rate and encoded as %s',
    async (name, ...args) => {
      const path = await encode(source(2, 0.005), folder.path, name, ...args);
      expect(await checkUpOf(path)).toEqual([{ code: 'CLIPPED', share: expect.closeTo(0.42, 1) }]);
    },
  );

  it.each(codings)('finds no clipping in birds that just reach full scale, encoded as %s', async (name, ...args) => {
    const path = await encode(source(0.95, 0.005), folder.path, name, ...args);
    expect(await checkUpOf(path)).toEqual([]);
  });

  it.each<[what: string, limitHz: number, name: string, ...args: string[]]>([
    ['a sampling rate of 16 kHz', 8000, '16.wav', '-ar', '16000'],
    ['a telephone', 4000, '8.wav', '-ar', '8000'],
    ['16 kHz that a plain resampler made 48 kHz', 8500, 'up.wav', '-af', 'aresample=16000,aresample=48000'],
    ['AMR', 3700, 'a.amr', '-ar', '8000', '-ac', '1', '-c:a', 'libopencore_amrnb', '-b:a', '12.2k'],
    ['MP3 of few bits', 5500, 'few.mp3', '-ar', '11025', '-b:a', '24k'],
  ])('says at which frequency %s cuts off', async (_, limitHz, name, ...args) => {
    const path = await encode(source(0.3, 0.05), folder.path, name, ...args);
    const [found, ...others] = await checkUpOf(path);
    expect(others).toEqual([]);
    if (found?.code !== 'BAND_LIMITED') throw new Error(`found ${found?.code}`);
    expect(Math.abs(found.limitHz - limitHz)).toBeLessThanOrEqual(500);
  });

  it('mentions no band limit if no bird sings above it', async () => {
    for (const args of [
      ['-ar', '22050'],
      ['-ar', '32000'],
    ]) {
      const path = await encode(source(0.3, 0.05), folder.path, 'high.wav', ...args);
      expect(await checkUpOf(path)).toEqual([]);
    }
  });
});
