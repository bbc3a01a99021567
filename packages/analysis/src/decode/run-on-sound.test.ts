import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutSegment } from '../copy/cut-segment.ts';
import { encode } from '../testing/encode.ts';
import { failureOf } from '../testing/failure-of.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const { signal } = new AbortController();
const peakOf = (samples: Float32Array) => samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0);

describe('Of several sound tracks', () => {
  const folder = temporaryFolder();

  /** A recording with a track for each peak of its sound. */
  async function recordingOf(
    name: string,
    ...peaks: readonly (number | readonly [peak: number, seconds: number])[]
  ): Promise<string> {
    const tracks = peaks.map((each, index) => {
      const [peak, seconds] = typeof each === 'number' ? [each, 2] : each;
      return folder.write(`${index}.wav`, makeWav({ seconds, sample: (at) => peak * Math.sin(9000 * at) }));
    });
    const inputs = tracks.slice(1).flatMap((track) => ['-i', track]);
    const maps = tracks.flatMap((_, index) => ['-map', `${index}:a`]);
    return encode(tracks[0] ?? '', folder.path, name, ...inputs, ...maps, '-c:a', 'pcm_s16le');
  }
  /** The same with a coding that is not known in its first track. */
  function withUnknownFirst(path: string): string {
    const bytes = readFileSync(path);
    bytes.write('apac', bytes.indexOf('sowt', bytes.indexOf('stsd')), 'latin1');
    return folder.write('unknown.mov', bytes);
  }

  it.each([
    ['the first is read if it has sound', 'first.mov', [0.5, 0.1], 0.5],
    ['the second is read if the first is silent', 'silent.mov', [0, 0.1], 0.1],
    ['the third is read if those before are silent', 'third.mkv', [0, 0, 0.1], 0.1],
    ['one is read if all are silent', 'nothing.mov', [0, 0], 0],
    ['the second is read if the first is much shorter', 'short.mov', [[0.5, 0.2], 0.1], 0.1],
    ['the second is read if the first is much shorter, in Matroska', 'short.mkv', [[0.5, 0.2], 0.1], 0.1],
    ['the longest is read if the others are short or silent', 'longest.mov', [[0.5, 0.2], 0, 0.1], 0.1],
  ] as const)('%s', async (_, name, peaks, peak) => {
    const { all, end } = await readAll(await recordingOf(name, ...peaks));
    expect(end?.durationSeconds).toBeCloseTo(2, 2);
    expect(peakOf(all)).toBeCloseTo(peak, 2);
  });

  it('the first that can be decoded is read, and cut', async () => {
    const path = withUnknownFirst(await recordingOf('known.mov', 0.5, 0.1));
    expect(peakOf((await readAll(path)).all)).toBeCloseTo(0.1, 2);
    const target = join(folder.path, 'segment.wav');
    const stretch = { startSeconds: 0.5, endSeconds: 1.5 };
    await cutSegment({ path, target, stretch, format: 'wav', ffmpegPath }, signal);
    expect(peakOf((await readAll(target)).all)).toBeCloseTo(0.1, 2);
  });

  it('none can be read if none can be decoded', async () => {
    const path = withUnknownFirst(await recordingOf('one.mov', 0.5));
    expect(await failureOf(readAll(path))).toMatchObject({ code: 'RECORDING_UNSUPPORTED' });
  });
});
