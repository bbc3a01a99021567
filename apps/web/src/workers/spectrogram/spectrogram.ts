import { createSpectrumImage } from '@chiffchaff/recognizer/audio';
import { paintLevels } from './paint-levels.ts';
import type { PaletteName } from './palette.ts';

/** What part of a recording an image shows, and how. */
export interface SpectrogramView {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Top of the image; its bottom is 0 Hz. */
  readonly maxHz: number;
  readonly widthPixels: number;
  readonly heightPixels: number;
  readonly palette: PaletteName;
}

export interface Spectrogram {
  /** RGBA pixels, row by row from the top. */
  draw(view: SpectrogramView): Uint8ClampedArray<ArrayBuffer>;
}

/** One channel; several are averaged. */
export function mixChannels(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels;
  if (!first) return new Float32Array(0);
  if (others.length === 0) return first;
  const mono = Float32Array.from(first);
  for (const channel of others)
    for (let index = 0; index < mono.length; index += 1) mono[index] = (mono[index] ?? 0) + (channel[index] ?? 0);
  for (let index = 0; index < mono.length; index += 1) mono[index] = (mono[index] ?? 0) / channels.length;
  return mono;
}

/** A spectrogram of mono samples, painted. */
export function createSpectrogram(samples: Float32Array, sampleRate: number): Spectrogram {
  const image = createSpectrumImage(samples, sampleRate);
  return {
    draw({ startSeconds, endSeconds, maxHz, widthPixels, heightPixels, palette }) {
      const levels = image.levels({ startSeconds, endSeconds, maxHz, columns: widthPixels, rows: heightPixels });
      return paintLevels(levels, heightPixels, palette);
    },
  };
}
