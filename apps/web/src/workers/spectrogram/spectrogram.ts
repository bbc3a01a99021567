import { createFourierTransform } from './fourier.ts';
import { createPalette, type PaletteName } from './palette.ts';

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

/** A frame of 16 ms tells a chiffchaff's steep notes apart in time and still a thrush's lines in pitch. */
const windowSeconds = 0.016;
/** More frames than this per column change nothing that can be seen. */
const maxFramesPerColumn = 8;
const levelFrames = 200;
/** Power that counts as silence, so that its logarithm exists. */
const silence = 1e-12;

const decibels = (power: number): number => 10 * Math.log10(Math.max(power, silence));

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

/** Value below which the given part of a sorted list lies. */
const percentile = (sorted: Float32Array, part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;

/**
 * A spectrogram of mono samples: Hann window, twice zero-padded transform, log magnitude. The dB range is chosen once for the
 * whole recording (its noise is dark, its loudest bright), so that zooming never changes what a colour means.
 */
export function createSpectrogram(samples: Float32Array, sampleRate: number): Spectrogram {
  const windowSamples = 2 ** Math.round(Math.log2(sampleRate * windowSeconds));
  const transform = createFourierTransform(2 * windowSamples);
  const hann = Float32Array.from({ length: windowSamples }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / windowSamples));
  const hzPerBin = sampleRate / transform.size;
  const frames = [new Float32Array(windowSamples), new Float32Array(windowSamples)] as const;
  const powers = [new Float32Array(transform.bins), new Float32Array(transform.bins)] as const;
  const columns = [new Float32Array(transform.bins), new Float32Array(transform.bins)] as const;

  function cut(centre: number, frame: Float32Array): void {
    const start = Math.round(centre) - windowSamples / 2;
    for (let n = 0; n < windowSamples; n += 1) frame[n] = (samples[start + n] ?? 0) * (hann[n] ?? 0);
  }

  /** Powers of the frames with these middles (samples), into `powers`; what lies outside the recording is silence. */
  function measure(firstCentre: number, secondCentre: number): void {
    cut(firstCentre, frames[0]);
    cut(secondCentre, frames[1]);
    transform.powerOfPair(frames[0], frames[1], powers[0], powers[1]);
  }

  function findLevels(): { floor: number; ceiling: number } {
    const first = Math.ceil(500 / hzPerBin);
    const last = Math.min(transform.bins - 1, Math.floor(12_000 / hzPerBin));
    const bins = Math.max(1, last - first + 1);
    const levels = new Float32Array(levelFrames * bins);
    for (let index = 0; index < levelFrames; index += 2) {
      measure(((index + 0.5) / levelFrames) * samples.length, ((index + 1.5) / levelFrames) * samples.length);
      for (const [offset, power] of powers.entries())
        for (let bin = 0; bin < bins; bin += 1) levels[(index + offset) * bins + bin] = decibels(power[first + bin] ?? 0);
    }
    levels.sort();
    const ceiling = percentile(levels, 0.9995);
    return { ceiling, floor: Math.min(ceiling - 30, Math.max(ceiling - 70, percentile(levels, 0.4))) };
  }

  const { floor, ceiling } = findLevels();

  /**
   * The loudest (dB) that each bin gets within two neighbouring columns, into `columns`, so that a short call does not fall
   * between frames. `from` is where the first one begins; all in samples.
   */
  function measureColumns(from: number, width: number, bins: number): void {
    const framesPerColumn = Math.min(maxFramesPerColumn, Math.max(1, Math.round(width / (windowSamples / 2))));
    for (const column of columns) column.fill(silence);
    for (let index = 0; index < framesPerColumn; index += 1) {
      const centre = from + ((index + 0.5) / framesPerColumn) * width;
      measure(centre, centre + width);
      for (const [place, power] of powers.entries()) {
        const column = columns[place] ?? columns[0];
        for (let bin = 0; bin < bins; bin += 1) column[bin] = Math.max(column[bin] ?? 0, power[bin] ?? 0);
      }
    }
    for (const column of columns) for (let bin = 0; bin < bins; bin += 1) column[bin] = decibels(column[bin] ?? 0);
  }

  return {
    draw({ startSeconds, endSeconds, maxHz, widthPixels, heightPixels, palette }) {
      const colours = createPalette(palette);
      const pixels = new Uint32Array(widthPixels * heightPixels);
      const width = ((endSeconds - startSeconds) * sampleRate) / widthPixels;
      const scale = 255 / (ceiling - floor);
      const bins = Math.min(transform.bins, Math.ceil(maxHz / hzPerBin) + 2);
      const paint = (x: number, column: Float32Array) => {
        for (let y = 0; y < heightPixels; y += 1) {
          const bin = ((1 - (y + 0.5) / heightPixels) * maxHz) / hzPerBin;
          const below = Math.floor(bin);
          const low = below < bins ? (column[below] ?? floor) : floor;
          const high = below + 1 < bins ? (column[below + 1] ?? low) : low;
          const level = (low + (high - low) * (bin - below) - floor) * scale;
          pixels[y * widthPixels + x] = colours[level < 0 ? 0 : level > 255 ? 255 : level | 0] ?? 0;
        }
      };
      for (let x = 0; x < widthPixels; x += 2) {
        measureColumns(startSeconds * sampleRate + x * width, width, bins);
        paint(x, columns[0]);
        if (x + 1 < widthPixels) paint(x + 1, columns[1]);
      }
      return new Uint8ClampedArray(pixels.buffer);
    },
  };
}
