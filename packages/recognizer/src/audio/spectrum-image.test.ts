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

describe('The spectrogram image of a recording with gusts of wind', () => {
  const levelsOf = (lengthSeconds: number, shown = { startSeconds: 0, endSeconds: lengthSeconds }) =>
    createSpectrumImage(wind(lengthSeconds), sampleRate).levels({ ...shown, maxHz, columns: lengthSeconds, rows });
  const at = (levels: Uint8Array, second: number, hz: number) => levels[second * rows + Math.floor((hz / maxHz) * rows)] ?? 0;
  const meanAround = (levels: Uint8Array, second: number) => {
    const column = levels.subarray(second * rows + 10, (second + 1) * rows);
    return column.reduce((sum, level) => sum + level, 0) / column.length;
  };

  it('shows a bird in a gust as clearly as in a lull, and hardly the gust, if the recording is long', () => {
    const levels = levelsOf(seconds);
    expect(levels).toHaveLength(columns * rows);
    expect(at(levels, 15, NOTE_HZ)).toBeGreaterThan(200);
    expect(at(levels, 5, NOTE_HZ)).toBeGreaterThan(200);
    expect(meanAround(levels, 7)).toBeLessThan(70);
  });

  it('leaves the gust bright if the recording is short', () => {
    expect(meanAround(levelsOf(20), 7)).toBeGreaterThan(100);
  });
});

/** Doubles the rate; between the old samples and above their limit, nothing is added. */
function atTwiceTheRate(samples: Float32Array): Float32Array {
  const REACH = 32;
  const between = Array.from({ length: 2 * REACH }, (_, tap) => {
    const x = tap - REACH + 0.5;
    return (Math.sin(Math.PI * x) / (Math.PI * x)) * Math.cos((Math.PI * x) / (2 * REACH)) ** 2;
  });
  return Float32Array.from({ length: 2 * samples.length }, (_, index) => {
    const place = Math.floor(index / 2);
    if (index % 2 === 0) return samples[place] ?? 0;
    return between.reduce((sum, weight, tap) => sum + weight * (samples[place + 1 + tap - REACH] ?? 0), 0);
  });
}

it('A spectrogram image looks the same at any sampling rate, apart from empty frequencies at a higher rate', () => {
  const samples = wind(20);
  const shown = { startSeconds: 0, endSeconds: 20, maxHz: 10_000, columns: 20, rows };
  const own = createSpectrumImage(samples, sampleRate).levels(shown);
  const raised = createSpectrumImage(atTwiceTheRate(samples), 2 * sampleRate).levels(shown);
  const meanOf = (levels: Uint8Array) => levels.reduce((sum, level) => sum + level, 0) / levels.length;
  expect(Math.abs(meanOf(own) - meanOf(raised))).toBeLessThan(5);
});

it('A spectrogram image is dark above the band limit of a phone call and bright below', () => {
  const call = atTwiceTheRate(wind(40).subarray(0, 20 * sampleRate));
  const shown = { startSeconds: 0, endSeconds: 40, maxHz: 12_000, columns: 40, rows };
  // Played at half the speed, nothing is above 6 kHz.
  const levels = createSpectrumImage(call, sampleRate).levels(shown);
  const meanOf = (from: number, to: number) => {
    const points = levels.filter((_, index) => index % rows >= from && index % rows < to);
    return points.reduce((sum, level) => sum + level, 0) / points.length;
  };
  expect(meanOf(rows / 2 + 2, rows)).toBe(0);
  expect(meanOf(4, rows / 2)).toBeGreaterThan(30);
  expect(meanOf(4, rows / 2)).toBeLessThan(100);
});
