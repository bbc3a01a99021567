import { createSpectrumFrames } from './spectrum-frames.ts';
import { chooseScale, decibels, HIGHEST_SONG_HZ, LOWEST_SONG_HZ, SCALE_FRAMES, type SpectrumScale } from './spectrum-scale.ts';

/** The part of a recording that an image shows, and its resolution. */
export interface SpectrumExtent {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** The highest row ends here; the lowest begins at 0 Hz. */
  readonly maxHz: number;
  readonly columns: number;
  readonly rows: number;
}

export interface SpectrumImage {
  readonly scale: SpectrumScale;
  /** One byte per point, column by column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. */
  levels(window: SpectrumExtent): Uint8Array<ArrayBuffer>;
}

export interface SpectrumImageOptions {
  /** The scale of the whole recording if the samples are a part of it. Default: chosen from the samples. */
  readonly scale?: SpectrumScale;
  /** Where the samples begin in the recording. Default 0. */
  readonly startSeconds?: number;
}

/** More frames per column make no visible difference. */
const MAX_FRAMES_PER_COLUMN = 8;

/** Creates images of mono samples. Anything outside the samples is silence. @param sampleRate Hz */
export function createSpectrumImage(
  samples: Float32Array,
  sampleRate: number,
  { scale: given, startSeconds: offsetSeconds = 0 }: SpectrumImageOptions = {},
): SpectrumImage {
  const frames = createSpectrumFrames(sampleRate);
  const { windowSamples, hzPerBand, bands } = frames;
  const powers = [new Float32Array(bands), new Float32Array(bands)] as const;
  const columns = [new Float32Array(bands), new Float32Array(bands)] as const;
  const scale = given ?? chooseScale(sampleLevels(), hzPerBand, samples.length / sampleRate);

  /** dB of frames spread evenly over the samples, band by band. */
  function sampleLevels(): Float32Array {
    const levels = new Float32Array(SCALE_FRAMES * bands);
    for (let index = 0; index < SCALE_FRAMES; index += 2) {
      const centre = (frame: number) => ((frame + 0.5) / SCALE_FRAMES) * samples.length;
      frames.measurePair(samples, centre(index), centre(index + 1), ...powers);
      for (const [offset, power] of powers.entries())
        for (let band = 0; band < bands; band += 1) levels[band * SCALE_FRAMES + index + offset] = decibels(power[band] ?? 0);
    }
    return levels;
  }

  /**
   * Writes the level (dB) of each band in two neighbouring columns into `columns`. If a column is longer than a frame, the level is
   * the root mean square of its frames' powers: a short call does not drown as in the mean, and noise does not rise to its maximum.
   * `from` is where the first column begins; `from` and `width` are in samples.
   */
  function measureColumns(from: number, width: number, count: number): void {
    const framesPerColumn = Math.min(MAX_FRAMES_PER_COLUMN, Math.max(1, Math.round(width / (windowSamples / 2))));
    if (framesPerColumn === 1) {
      frames.measurePair(samples, from + width / 2, from + 1.5 * width, ...columns);
      for (const column of columns) for (let band = 0; band < count; band += 1) column[band] = decibels(column[band] ?? 0);
      return;
    }
    for (const column of columns) column.fill(0);
    for (let index = 0; index < framesPerColumn; index += 1) {
      const centre = from + ((index + 0.5) / framesPerColumn) * width;
      frames.measurePair(samples, centre, centre + width, ...powers);
      for (const [place, power] of powers.entries()) {
        const column = columns[place] ?? columns[0];
        for (let band = 0; band < count; band += 1) column[band] = (column[band] ?? 0) + (power[band] ?? 0) ** 2;
      }
    }
    for (const column of columns)
      for (let band = 0; band < count; band += 1) column[band] = decibels(Math.sqrt((column[band] ?? 0) / framesPerColumn));
  }

  return {
    scale,
    levels({ startSeconds, endSeconds, maxHz, columns: count, rows }) {
      const levels = new Uint8Array(count * rows);
      const width = ((endSeconds - startSeconds) * sampleRate) / count;
      const from = (startSeconds - offsetSeconds) * sampleRate;
      const used = Math.min(bands, Math.ceil(maxHz / hzPerBand) + 2);
      const writeColumn = createColumnWriter({ scale, bands: used, hzPerBand, firstBandHz: 0, maxHz, rows });
      for (let column = 0; column < count; column += 2) {
        measureColumns(from + column * width, width, used);
        writeColumn(columns[0], levels.subarray(column * rows, (column + 1) * rows));
        if (column + 1 < count) writeColumn(columns[1], levels.subarray((column + 1) * rows, (column + 2) * rows));
      }
      return levels;
    },
  };
}

export interface ColumnWriterOptions {
  readonly scale: SpectrumScale;
  /** number of values in a column */
  readonly bands: number;
  readonly hzPerBand: number;
  /** frequency of the first value */
  readonly firstBandHz: number;
  readonly maxHz: number;
  readonly rows: number;
}

/** Noise is measured at this many frequencies, as this quantile of their levels: a song covers fewer of them. */
const NOISE_PLACES = 64;
const NOISE_PART = 0.4;

/** Measures how far a column's noise is above the level drawn as quiet (dB, at least 0). */
function createNoiseMeter({ scale, bands, hzPerBand, firstBandHz }: ColumnWriterOptions): (decibels: Float32Array) => number {
  const places = Uint16Array.from({ length: NOISE_PLACES }, (_, place) => {
    const hz = LOWEST_SONG_HZ + ((HIGHEST_SONG_HZ - LOWEST_SONG_HZ) * place) / NOISE_PLACES;
    return Math.min(bands - 1, Math.max(0, Math.round((hz - firstBandHz) / hzPerBand)));
  });
  const quiet = Float32Array.from(places, (band) => scale.floor + backgroundAt(scale, firstBandHz + band * hzPerBand));
  const levels = new Float32Array(NOISE_PLACES);
  return (column) => {
    for (let place = 0; place < NOISE_PLACES; place += 1) levels[place] = (column[places[place] ?? 0] ?? 0) - (quiet[place] ?? 0);
    return Math.max(0, levels.sort()[Math.floor(NOISE_PART * NOISE_PLACES)] ?? 0);
  };
}

/** A recording's background (dB) at a frequency, interpolated between its bands. */
function backgroundAt({ background, hzPerBand }: SpectrumScale, hz: number): number {
  const place = Math.min(background.length - 1, hz / hzPerBand);
  const low = background[Math.floor(place)] ?? 0;
  const high = background[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/**
 * Converts columns of dB, evenly spaced from `firstBandHz` upwards, to bytes on a recording's scale: subtracts background and
 * gusts, and interpolates to rows.
 */
export function createColumnWriter(options: ColumnWriterOptions): (decibels: Float32Array, levels: Uint8Array) => void {
  const { scale, bands, hzPerBand, firstBandHz, maxHz, rows } = options;
  const { floor, ceiling, gustShare } = scale;
  // The band just below each row's frequency, how far the row lies above it, and what is subtracted from the row.
  const below = new Uint16Array(rows);
  const above = new Float32Array(rows);
  const dark = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const hz = ((row + 0.5) / rows) * maxHz;
    const band = Math.min(bands - 2, Math.max(0, (hz - firstBandHz) / hzPerBand));
    below[row] = Math.floor(band);
    above[row] = band - Math.floor(band);
    dark[row] = floor + backgroundAt(scale, hz);
  }
  const noiseOf = createNoiseMeter(options);
  return (column, levels) => {
    const gust = gustShare === 0 ? 0 : Math.min(gustShare * noiseOf(column), (ceiling - floor) / 2);
    // Loud sounds stay as bright in a gust.
    const perDecibel = 255 / (ceiling - floor - gust);
    for (let row = 0; row < rows; row += 1) {
      const low = column[below[row] ?? 0] ?? 0;
      const high = column[(below[row] ?? 0) + 1] ?? 0;
      const level = (low + (high - low) * (above[row] ?? 0) - (dark[row] ?? 0) - gust) * perDecibel;
      levels[row] = Math.min(255, Math.max(0, level));
    }
  };
}
