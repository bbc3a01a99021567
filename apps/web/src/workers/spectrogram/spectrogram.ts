import { createFourierTransform } from '@chiffchaff/recognizer/audio';
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
const levelFrames = 100;
/** Wind and traffic lie below: they may be overexposed, so that what sings is not underexposed. */
const lowestSongHz = 1500;
/** How wide a band the background is taken from, to either side. */
const backgroundHz = 1000;
/** How much of the background is taken away: most of it, and not so much that noise no longer looks like noise. */
const backgroundShare = 0.75;
/** Power that counts as silence, so that its logarithm exists. */
const silence = 1e-12;

const powerBits = new Float32Array(1);
const bits = new Int32Array(powerBits.buffer);

/**
 * 10·log₁₀ of a power, within 0.3 dB: a float's bits are its logarithm already, nearly (exponent, then a mantissa taken as linear).
 * A million calls of Math.log10 would take longer than everything else in an image.
 */
function decibels(power: number): number {
  powerBits[0] = Math.max(power, silence);
  return ((bits[0] ?? 0) / 8_388_608 - 126.957) * 3.0103;
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

/** Value below which the given part of a sorted list lies. */
const percentile = (sorted: Float32Array, part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;

/**
 * The recording's background (dB above its quietest part) for each bin: what wind and traffic put under everything. Taken from the
 * quieter moments and over a wide band, so that a long narrow song (a nightjar's, a grasshopper warbler's) is not mistaken for it.
 */
function measureBackground(levels: Float32Array, reach: number): Float32Array {
  const bins = levels.length / levelFrames;
  const quiet = Float32Array.from({ length: bins }, (_, bin) =>
    percentile(levels.slice(bin * levelFrames, (bin + 1) * levelFrames).sort(), 0.3),
  );
  const smooth = quiet.map((_, bin) => percentile(quiet.slice(Math.max(0, bin - reach), bin + reach + 1).sort(), 0.5));
  const least = smooth.reduce((lowest, level) => Math.min(lowest, level), Number.POSITIVE_INFINITY);
  return smooth.map((level) => backgroundShare * (level - least));
}

/** dB, without background, of what is drawn as quiet and as loud. */
function findRange(
  levels: Float32Array,
  background: Float32Array,
  firstBin: number,
): { readonly floor: number; readonly ceiling: number } {
  const bins = background.length;
  const heard = new Float32Array((bins - firstBin) * levelFrames);
  for (let index = 0; index < heard.length; index += 1) {
    const bin = firstBin + Math.floor(index / levelFrames);
    heard[index] = (levels[firstBin * levelFrames + index] ?? 0) - (background[bin] ?? 0);
  }
  heard.sort();
  const loud = percentile(heard, 0.9995);
  const floor = Math.max(percentile(heard, 0.5), loud - 60);
  return { floor, ceiling: Math.max(loud, floor + 30) };
}

/**
 * A spectrogram of mono samples: Hann window, twice zero-padded transform, log magnitude. Background and dB range are chosen
 * once for the whole recording (its noise is dark, its loudest bright), so that zooming never changes what a colour means.
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

  /** dB of frames spread evenly over the recording, bin after bin: `levelFrames` values for each. */
  function sampleLevels(): Float32Array {
    const levels = new Float32Array(levelFrames * transform.bins);
    for (let index = 0; index < levelFrames; index += 2) {
      measure(((index + 0.5) / levelFrames) * samples.length, ((index + 1.5) / levelFrames) * samples.length);
      for (const [offset, power] of powers.entries())
        for (let bin = 0; bin < transform.bins; bin += 1) levels[bin * levelFrames + index + offset] = decibels(power[bin] ?? 0);
    }
    return levels;
  }

  const levels = sampleLevels();
  const background = measureBackground(levels, Math.round(backgroundHz / hzPerBin));
  const { floor, ceiling } = findRange(levels, background, Math.ceil(lowestSongHz / hzPerBin));

  /**
   * How loud (dB, without background) each bin gets within two neighbouring columns, into `columns`. Where a column is longer than
   * a frame, its frames count by their power squared: a short call does not drown in the mean, noise does not rise to its maximum.
   * `from` is where the first column begins; all in samples.
   */
  function measureColumns(from: number, width: number, bins: number): void {
    const framesPerColumn = Math.min(maxFramesPerColumn, Math.max(1, Math.round(width / (windowSamples / 2))));
    for (const column of columns) column.fill(0);
    for (let index = 0; index < framesPerColumn; index += 1) {
      const centre = from + ((index + 0.5) / framesPerColumn) * width;
      measure(centre, centre + width);
      for (const [place, power] of powers.entries()) {
        const column = columns[place] ?? columns[0];
        for (let bin = 0; bin < bins; bin += 1) column[bin] = (column[bin] ?? 0) + (power[bin] ?? 0) ** 2;
      }
    }
    for (const column of columns)
      for (let bin = 0; bin < bins; bin += 1)
        column[bin] = decibels(Math.sqrt((column[bin] ?? 0) / framesPerColumn)) - (background[bin] ?? 0);
  }

  return {
    draw({ startSeconds, endSeconds, maxHz, widthPixels, heightPixels, palette }) {
      const colours = createPalette(palette);
      const pixels = new Uint32Array(widthPixels * heightPixels);
      const width = ((endSeconds - startSeconds) * sampleRate) / widthPixels;
      const scale = 255 / (ceiling - floor);
      const bins = Math.min(transform.bins, Math.ceil(maxHz / hzPerBin) + 2);
      // The bin just below each row's frequency, and how far above it the row lies.
      const below = new Uint16Array(heightPixels);
      const above = new Float32Array(heightPixels);
      for (let y = 0; y < heightPixels; y += 1) {
        const bin = Math.min(bins - 2, ((1 - (y + 0.5) / heightPixels) * maxHz) / hzPerBin);
        below[y] = Math.floor(bin);
        above[y] = bin - Math.floor(bin);
      }
      const paint = (x: number, column: Float32Array) => {
        for (let y = 0; y < heightPixels; y += 1) {
          const bin = below[y] ?? 0;
          const low = column[bin] ?? 0;
          const high = column[bin + 1] ?? 0;
          const level = (low + (high - low) * (above[y] ?? 0) - floor) * scale;
          pixels[y * widthPixels + x] = colours[Math.min(255, Math.max(0, level)) | 0] ?? 0;
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
