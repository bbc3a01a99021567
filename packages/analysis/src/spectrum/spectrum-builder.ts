import { chooseScale, createSpectrumFrames, decibels, SCALE_FRAMES, type SpectrumScale } from '@chiffchaff/recognizer/audio';
import { COLUMN_SAMPLES, decibelsOf, IMAGE_SAMPLE_RATE, levelOf, SPECTRUM_ROWS } from './spectrum-file.ts';

/** Frames in a column; neighbours overlap by a quarter, so that no sample is missed. */
const FRAMES_PER_COLUMN = 4;
const BLOCK_COLUMNS = 64;
/** A row of a spectrum is two bands of an unpadded transform. */
const BANDS_PER_ROW = 2;

/** Squared power of each level. Joining columns averages squared powers: see `createSpectrumImage`. */
export const squaredPowerOfLevel = Float64Array.from({ length: 256 }, (_, level) => 10 ** (decibelsOf(level) / 5));
export const decibelsOfSquaredPower = (square: number): number => 5 * Math.log10(square);

/**
 * Turns a stream of samples into the columns of a spectrum; holds a few seconds of audio.
 *
 * @param durationSeconds expected length of the audio; the scale is chosen from frames spread over it
 */
export function createSpectrumBuilder(durationSeconds: number) {
  const frames = createSpectrumFrames(IMAGE_SAMPLE_RATE, 1);
  const scaleFrames = createSpectrumFrames(IMAGE_SAMPLE_RATE);
  const lead = frames.windowSamples / 2;
  const blockSamples = BLOCK_COLUMNS * COLUMN_SAMPLES;
  // With half a frame before the block's columns and half a frame after them.
  const block = new Float32Array(lead + blockSamples + lead);
  let filled = lead;
  let blockStart = 0;
  const powers = [new Float32Array(frames.bands), new Float32Array(frames.bands)] as const;
  const squares = new Float64Array(SPECTRUM_ROWS);
  const scalePower = new Float32Array(scaleFrames.bands);
  const scaleLevels = new Float32Array(SCALE_FRAMES * scaleFrames.bands);
  const totalSamples = durationSeconds * IMAGE_SAMPLE_RATE;
  const scaleCentre = (frame: number): number => ((frame + 0.5) / SCALE_FRAMES) * totalSamples;
  let scaleTaken = 0;

  function measureColumn(start: number, column: Uint8Array): void {
    squares.fill(0);
    const hop = COLUMN_SAMPLES / FRAMES_PER_COLUMN;
    for (let frame = 0; frame < FRAMES_PER_COLUMN; frame += 2) {
      const centre = start + (frame + 0.5) * hop;
      frames.measurePair(block, centre, centre + hop, ...powers);
      for (const power of powers) {
        for (let row = 0; row < SPECTRUM_ROWS; row += 1) {
          const low = power[row * BANDS_PER_ROW] ?? 0;
          const high = power[row * BANDS_PER_ROW + 1] ?? 0;
          squares[row] = (squares[row] ?? 0) + low * low + high * high;
        }
      }
    }
    for (let row = 0; row < SPECTRUM_ROWS; row += 1) {
      const mean = (squares[row] ?? 0) / (FRAMES_PER_COLUMN * BANDS_PER_ROW);
      column[row] = levelOf(decibels(Math.sqrt(mean)));
    }
  }

  /** Measures the scale's frames whose centres are in the block. */
  function sampleScale(samples: number): void {
    while (scaleTaken < SCALE_FRAMES && scaleCentre(scaleTaken) < blockStart + samples) {
      const centre = lead + scaleCentre(scaleTaken) - blockStart;
      scaleFrames.measurePair(block, centre, centre, scalePower, scalePower);
      for (let band = 0; band < scaleFrames.bands; band += 1)
        scaleLevels[band * SCALE_FRAMES + scaleTaken] = decibels(scalePower[band] ?? 0);
      scaleTaken += 1;
    }
  }

  function measureBlock(samples: number): Uint8Array {
    sampleScale(samples);
    const columns = new Uint8Array(Math.ceil(samples / COLUMN_SAMPLES) * SPECTRUM_ROWS);
    for (let at = 0; at < columns.length; at += SPECTRUM_ROWS) {
      measureColumn(lead + (at / SPECTRUM_ROWS) * COLUMN_SAMPLES, columns.subarray(at, at + SPECTRUM_ROWS));
    }
    block.copyWithin(0, blockSamples, blockSamples + 2 * lead);
    filled = 2 * lead;
    blockStart += blockSamples;
    return columns;
  }

  return {
    hzPerRow: frames.hzPerBand * BANDS_PER_ROW,
    firstRowHz: (frames.hzPerBand * (BANDS_PER_ROW - 1)) / 2,
    /** @param samples mono, at `IMAGE_SAMPLE_RATE`. @returns finished columns */
    push(samples: Float32Array): Uint8Array {
      const done: Uint8Array[] = [];
      for (let read = 0; read < samples.length; ) {
        const part = samples.subarray(read, read + block.length - filled);
        block.set(part, filled);
        filled += part.length;
        read += part.length;
        if (filled === block.length) done.push(measureBlock(blockSamples));
      }
      return concat(done);
    },
    /** @returns the last columns */
    end(): Uint8Array {
      const left = filled - lead;
      block.fill(0, filled);
      // Samples after the block's columns belong to the next block.
      const columns = [measureBlock(Math.min(left, blockSamples))];
      if (left > blockSamples) {
        block.fill(0, 2 * lead);
        columns.push(measureBlock(left - blockSamples));
      }
      return concat(columns);
    },
    /** Call after `end`. */
    scale(): SpectrumScale {
      // If the audio was shorter than expected, repeat the measured frames in place of the missing ones.
      for (let frame = Math.max(1, scaleTaken); frame < SCALE_FRAMES; frame += 1)
        for (let band = 0; band < scaleFrames.bands; band += 1)
          scaleLevels[band * SCALE_FRAMES + frame] = scaleLevels[band * SCALE_FRAMES + (frame % Math.max(1, scaleTaken))] ?? 0;
      return chooseScale(scaleLevels, scaleFrames.hzPerBand, durationSeconds);
    },
  };
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return new Uint8Array(Buffer.concat(parts));
}
