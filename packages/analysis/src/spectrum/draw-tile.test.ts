import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNoise } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copySound } from '../copy/copy-sound.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { drawTile } from './draw-tile.ts';
import { writeSpectrum } from './write-spectrum.ts';

const { signal } = new AbortController();
/** Excerpts of a recording of 40 s, with a tone of 3 kHz in the first and one of 6 kHz in the second. */
const moments = [
  { startSeconds: 3, endSeconds: 10, offsetSeconds: 0 },
  { startSeconds: 28, endSeconds: 35, offsetSeconds: 7 },
];
const tones = [
  { startSeconds: 5.5, hz: 3000 },
  { startSeconds: 31, hz: 6000 },
];
const noise = createNoise();
const sample = (seconds: number): number =>
  tones
    .filter(({ startSeconds }) => seconds >= startSeconds && seconds < startSeconds + 0.5)
    .reduce((sum, { hz }) => sum + 0.4 * Math.sin(2 * Math.PI * hz * seconds), noise() * 0.02);

let folder: string;
const pathOf = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-tile-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('A tile of the spectrogram over kept excerpts', () => {
  it.each([
    ['before their copy is made', 'original', true],
    ['after their copy is made', 'moments', false],
  ])('shows the sound of each excerpt and nothing between them, drawn %s', async (_when, sound, isWhole) => {
    await writeFile(pathOf('original'), makeWav({ seconds: 40, sample }));
    const shape = { durationSeconds: 40, ffmpegPath };
    if (isWhole) {
      await writeSpectrum({ ...shape, path: pathOf('original'), target: pathOf('spectrum'), stretches: moments }, signal);
    } else {
      await copySound({ path: pathOf('original'), target: pathOf('moments'), ...shape, channels: 1, stretches: moments }, signal);
      await writeSpectrum({ ...shape, path: pathOf('moments'), target: pathOf('spectrum'), durationSeconds: 14 }, signal);
    }
    /** Whether the first and the second tone can be seen at a time of the recording. */
    const tonesAt = async (seconds: number, columnSeconds: number) => {
      const query = { startSeconds: seconds, endSeconds: seconds + 2 * columnSeconds, maxHz: 8000, columns: 2, rows: 80 };
      const task = { path: pathOf(sound), spectrumPath: pathOf('spectrum'), moments, isWhole, ffmpegPath, query };
      const levels = await drawTile(task, signal);
      return tones.map(({ hz }) => (levels[Math.floor(hz / 100)] ?? 0) > 150);
    };
    // Drawn from the spectrum, and from the audio.
    for (const columnSeconds of [0.1, 0.02]) {
      expect(await tonesAt(5.7, columnSeconds)).toEqual([true, false]);
      expect(await tonesAt(20, columnSeconds)).toEqual([false, false]);
      expect(await tonesAt(31.2, columnSeconds)).toEqual([false, true]);
    }
  });
});
