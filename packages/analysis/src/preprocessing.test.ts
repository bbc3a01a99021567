import type { Prediction } from '@chiffchaff/contract';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Analyzer, Preprocessing } from './analyzer.ts';
import { openAnalyzer } from './open-analyzer.ts';
import { ffmpegPath, modelFolderPath } from './testing/installed.ts';
import { makeWav } from './testing/make-wav.ts';
import { readAll } from './testing/read-all.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

describe('Among the analysis settings,', () => {
  beforeEach(needsSharedFolder);
  const folder = temporaryFolder();
  let analyzer: Analyzer | undefined;
  afterAll(() => analyzer?.close());

  async function identify(path: string, preprocessing?: Preprocessing): Promise<Prediction> {
    analyzer ??= await openAnalyzer({ modelFolderPath, ffmpegPath, workers: 1 });
    return analyzer.analyze({ path, fileName: null, perClip: true, preprocessing }, { signal: new AbortController().signal });
  }
  const heard = ({ detections }: Prediction, factor = 1) =>
    detections.map(({ scientificName, startSeconds, endSeconds, score }) => ({
      ...{ scientificName, score, startSeconds: startSeconds * factor, endSeconds: endSeconds * factor },
    }));

  /** Twelve seconds of birds. */
  async function birds(): Promise<Float32Array> {
    return (await readAll(sharedPath('fixtures/audio/soundscape.flac'))).all.subarray(0, 12 * 48_000);
  }
  const write = (name: string, samples: Float32Array, sampleRate = 48_000, channels = 1) =>
    folder.write(
      name,
      makeWav({
        ...{ seconds: samples.length / sampleRate, sampleRate, channels },
        sample: (seconds, channel) => (channel === channels - 1 ? (samples[Math.round(seconds * sampleRate)] ?? 0) : 0),
      }),
    );

  it('`speed` of 1/8 plays the recording slower, and the times of detections are those of the recording', async () => {
    const samples = await birds();
    const usual = await identify(write('usual.wav', samples));
    // The same samples, as a bat recorder would record birds that sing eight times higher and faster.
    const fast = await identify(write('fast.wav', samples, 384_000), { speed: 0.125 });
    expect(heard(usual).length).toBeGreaterThan(2);
    expect(heard(fast, 8)).toEqual(heard(usual));
    const first = ({ verdict }: Prediction, factor = 1) => verdict.named.map(({ firstSeconds }) => firstSeconds * factor);
    expect(first(usual)).not.toEqual([]);
    expect(first(fast, 8)).toEqual(first(usual));
    expect(fast.recording).toMatchObject({ durationSeconds: 1.5, sampleRate: 384_000 });
    expect(fast.candidates[0]?.best.endSeconds).toBeLessThanOrEqual(1.5);
  });

  it('`speed` also applies to the shortest duration allowed, which is measured as played', async () => {
    const samples = (await birds()).subarray(0, 3 * 48_000);
    const short = write('short.wav', samples, 480_000);
    expect(await identify(short, { speed: 0.1 })).toMatchObject({ recording: { durationSeconds: 0.3 } });
    await expect(identify(short)).rejects.toMatchObject({ code: 'RECORDING_TOO_SHORT' });
    const tooShort = write('too-short.wav', samples.subarray(0, 4_800), 480_000);
    await expect(identify(tooShort, { speed: 0.1 })).rejects.toMatchObject({ details: { foundSeconds: 0.01, minSeconds: 0.05 } });
    const seconds = write('seconds.wav', samples, 48_000);
    await expect(identify(seconds, { speed: 20 })).rejects.toMatchObject({ details: { foundSeconds: 3, minSeconds: 10 } });
  });

  it('`channel` analyses one channel alone', async () => {
    const samples = await birds();
    const usual = await identify(write('mono.wav', samples));
    const path = write('right.wav', samples, 48_000, 2);
    expect(heard(await identify(path, { channel: 2 }))).toEqual(heard(usual));
    expect(await identify(path, { channel: 1 })).toMatchObject({ detections: [], recording: { channels: 2 } });
    await expect(identify(path, { channel: 3 })).rejects.toMatchObject({ name: 'ChannelMissing', channels: 2 });
  });

  it('band limits weaken frequencies outside by 24 dB an octave', async () => {
    const level = async (hertz: number, band: { minHz?: number; maxHz?: number }) => {
      const tone = (seconds: number) => 0.5 * Math.sin(2 * Math.PI * hertz * seconds);
      const path = folder.write('tone.wav', makeWav({ seconds: 1, sampleRate: 44_100, sample: tone }));
      const { all } = await readAll(path, { band });
      // The filters settle within half a second.
      const late = all.subarray(24_000, 44_000);
      return 20 * Math.log10(Math.sqrt(late.reduce((sum, value) => sum + value * value, 0) / late.length) / (0.5 / Math.SQRT2));
    };
    expect(await level(500, { minHz: 2000 })).toBeCloseTo(-48, 0);
    expect(await level(2000, { minHz: 2000 })).toBeCloseTo(-3, 0);
    expect(await level(6000, { minHz: 2000, maxHz: 12_000 })).toBeCloseTo(0, 0);
    expect(await level(12_000, { maxHz: 3000 })).toBeLessThan(-48);
  });

  it('band limits that exclude a bird’s frequencies make its detection disappear', async () => {
    const path = write('band.wav', await birds());
    const names = new Set(heard(await identify(path)).map(({ scientificName }) => scientificName));
    const without = heard(await identify(path, { maxHz: 500 }));
    expect(names.size).toBeGreaterThan(0);
    expect(without.filter(({ scientificName }) => names.has(scientificName))).toEqual([]);
  });
});
