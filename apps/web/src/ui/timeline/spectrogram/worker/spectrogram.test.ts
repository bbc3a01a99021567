import { createSpectrumImage } from '@chiffchaff/recognizer/audio';
import { describe, expect, it } from 'vitest';
import { createPalette, paintLevels } from '../paint-levels.ts';
import { mixChannels } from './mix-channels.ts';

const sampleRate = 32_000;
const view = { startSeconds: 0, endSeconds: 2, maxHz: 12_000, columns: 100, rows: 120 };

/** Levels from the worker, then painted. */
const createSpectrogram = (samples: Float32Array, rate: number) => {
  const image = createSpectrumImage(samples, rate);
  return { draw: (window: typeof view) => paintLevels(image.levels(window), window.rows, 'ink') };
};

/** Two seconds of faint noise, the same every time, with a tone from one moment to another. */
function toneFrom(startSeconds: number, endSeconds: number, hz: number): Float32Array {
  let seed = 1;
  return Float32Array.from({ length: 2 * sampleRate }, (_, n) => {
    seed = (seed * 16_807) % 2_147_483_647;
    const noise = (seed / 2_147_483_647 - 0.5) * 1e-3;
    const sounds = n >= startSeconds * sampleRate && n < endSeconds * sampleRate;
    return noise + (sounds ? 0.5 * Math.sin((2 * Math.PI * hz * n) / sampleRate) : 0);
  });
}

/** How dark (loud) a pixel is: 0 for paper, 1 for ink. */
function loudness(pixels: Uint8ClampedArray, { columns }: typeof view, x: number, y: number): number {
  return 1 - ((pixels[(y * columns + x) * 4] ?? 0) - 35) / (239 - 35);
}

describe('A spectrogram drawn in the browser', () => {
  it('shows a tone at its frequency and time, and quiet elsewhere', () => {
    const pixels = createSpectrogram(toneFrom(0.5, 1, 6000), sampleRate).draw(view);
    expect(loudness(pixels, view, 37, 60)).toBeGreaterThan(0.9); // 0.75 s, 6 kHz: half way up
    expect(loudness(pixels, view, 37, 90)).toBeLessThan(0.3); // 0.75 s, 3 kHz
    expect(loudness(pixels, view, 70, 60)).toBeLessThan(0.3); // 1.4 s, 6 kHz
    expect(loudness(pixels, view, 23, 60)).toBeLessThan(0.4); // just before it begins
    expect(loudness(pixels, view, 26, 60)).toBeGreaterThan(0.8); // just after
  });

  it('shows the tone higher in the image when the image covers fewer frequencies', () => {
    const spectrogram = createSpectrogram(toneFrom(0, 2, 6000), sampleRate);
    const half = { ...view, maxHz: 8000 };
    expect(loudness(spectrogram.draw(half), half, 50, 30)).toBeGreaterThan(0.9);
  });

  it('draws the same moment of the recording in the same colour in every view', () => {
    const spectrogram = createSpectrogram(toneFrom(0.5, 1, 6000), sampleRate);
    const near = { ...view, startSeconds: 0.7, endSeconds: 0.8 };
    expect(loudness(spectrogram.draw(near), near, 50, 60)).toBeCloseTo(loudness(spectrogram.draw(view), view, 37, 60), 1);
  });

  it('shows a short call even if a column is much longer than a frame', () => {
    const wide = { ...view, columns: 10 };
    const pixels = createSpectrogram(toneFrom(0.9, 0.93, 6000), sampleRate).draw(wide);
    expect(loudness(pixels, wide, 4, 60)).toBeGreaterThan(0.7);
  });

  it('reduces steady noise over a wide band, so that a faint note above it stands out', () => {
    const samples = toneFrom(0.5, 1, 6000).map((sample) => sample * 0.02);
    let rumble = 0;
    let seed = 7;
    for (let n = 0; n < samples.length; n += 1) {
      seed = (seed * 16_807) % 2_147_483_647;
      rumble += ((seed / 2_147_483_647 - 0.5) * 2 - rumble) * 0.05; // the higher, the fainter, like wind
      samples[n] = (samples[n] ?? 0) + rumble * 0.5;
    }
    const pixels = createSpectrogram(samples, sampleRate).draw(view);
    const row = (hz: number) => Math.round((1 - hz / 12_000) * 120);
    const rumbling = [600, 1000, 1600].map((hz) => loudness(pixels, view, 80, row(hz)));
    expect(Math.max(...rumbling)).toBeLessThan(0.35);
    expect(loudness(pixels, view, 37, row(6000))).toBeGreaterThan(0.4);
  });

  it('draws digital silence and an empty recording evenly', () => {
    for (const samples of [new Float32Array(sampleRate), new Float32Array(0)]) {
      const pixels = createSpectrogram(samples, sampleRate).draw({ ...view, columns: 7, rows: 5 });
      expect(pixels).toHaveLength(7 * 5 * 4);
      expect(new Set(new Uint32Array(pixels.buffer)).size).toBe(1);
    }
  });
});

describe('The channels of a spectrogram drawn in the browser', () => {
  it('are mixed by their mean', () => {
    expect([...mixChannels([Float32Array.of(1, 0), Float32Array.of(0, -0.5)])]).toEqual([0.5, -0.25]);
  });

  it('are replaced by the louder channel if they cancel each other, as in the recogniser', () => {
    const right = toneFrom(0.5, 1, 6000);
    const left = right.map((sample) => -0.9 * sample);
    expect(mixChannels([left, right])).toEqual(right);
  });
});

describe('The colours of the spectrogram', () => {
  it.each(['viridis', 'ink', 'darkInk'] as const)('(%s) change evenly from quiet to loud, always opaque', (name) => {
    const colours = createPalette(name);
    const light = [...colours].map(
      (rgba) => 0.2126 * (rgba & 255) + 0.7152 * ((rgba >> 8) & 255) + 0.0722 * ((rgba >> 16) & 255),
    );
    const direction = name === 'ink' ? -1 : 1;
    for (let level = 1; level < 256; level += 1)
      expect(((light[level] ?? 0) - (light[level - 1] ?? 0)) * direction).toBeGreaterThan(-1);
    expect([...colours].every((rgba) => rgba >>> 24 === 255)).toBe(true);
  });

  it('(ink) are darker than their level, so that faint strokes are seen', () => {
    const reds = [...createPalette('ink')].map((rgba) => rgba & 255);
    const inkAt = (level: number) => ((reds[0] ?? 0) - (reds[level] ?? 0)) / ((reds[0] ?? 0) - (reds[255] ?? 0));
    expect(inkAt(51)).toBeCloseTo(0.2 ** 0.7, 2);
  });
});
