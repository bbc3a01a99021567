import { describe, expect, it } from 'vitest';
import { createSpectrumImage } from './spectrum-image.ts';

const sampleRate = 24_000;
const seconds = 320;
const columns = 320;
const rows = 48;
const maxHz = 12_000;
/** In the middle of a row. */
const NOTE_HZ = 4125;

/** Noise with a gust of ten seconds in every twenty, and two notes of one second, in a gust and in a lull. */
function wind(lengthSeconds: number): Float32Array {
  let seed = 3;
  return Float32Array.from({ length: lengthSeconds * sampleRate }, (_, index) => {
    seed = (seed * 16_807) % 2_147_483_647;
    const at = index / sampleRate;
    const loudness = at % 20 < 10 ? 0.2 : 0.01;
    const note = Math.floor(at) === 5 || Math.floor(at) === 15 ? 0.2 * Math.sin((2 * Math.PI * NOTE_HZ * index) / sampleRate) : 0;
    return loudness * (seed / 1_073_741_823.5 - 1) + note;
  });
}

describe('the image of a recording in gusts', () => {
  const levelsOf = (lengthSeconds: number, shown = { startSeconds: 0, endSeconds: lengthSeconds }) =>
    createSpectrumImage(wind(lengthSeconds), sampleRate).levels({ ...shown, maxHz, columns: lengthSeconds, rows });
  const at = (levels: Uint8Array, second: number, hz: number) => levels[second * rows + Math.floor((hz / maxHz) * rows)] ?? 0;
  const meanAround = (levels: Uint8Array, second: number) => {
    const column = levels.subarray(second * rows + 10, (second + 1) * rows);
    return column.reduce((sum, level) => sum + level, 0) / column.length;
  };

  it('shows a bird in a gust as in a lull where the recording is long, and the gust hardly', () => {
    const levels = levelsOf(seconds);
    expect(levels).toHaveLength(columns * rows);
    expect(at(levels, 15, NOTE_HZ)).toBeGreaterThan(200);
    expect(at(levels, 5, NOTE_HZ)).toBeGreaterThan(200);
    expect(meanAround(levels, 7)).toBeLessThan(70);
  });

  it('leaves a short recording as it is', () => {
    expect(meanAround(levelsOf(20), 7)).toBeGreaterThan(100);
  });
});
