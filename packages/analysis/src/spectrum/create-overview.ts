import { OVERVIEW_BANDS, OVERVIEW_TOP_HZ } from '@chiffchaff/contract';
import {
  binHzOf,
  chooseScale,
  createColumnWriter,
  createFrameSampler,
  decibels,
  powerBetween,
  SCALE_FRAMES,
} from '@chiffchaff/recognizer/audio';

/** An hour of columns of one second, 230 kB. Longer recordings have columns of 2, 4, 8 … seconds. */
const MOST_COLUMNS = 3600;
/** A quarter of the sound at 48 kHz, in which every song leaves a trace; more would take over a hundredth of the analysis. */
const FRAMES_PER_SECOND = 6;
const BAND_HZ = OVERVIEW_TOP_HZ / OVERVIEW_BANDS;

/**
 * Draws a recording while it is analysed: at most a column a second, from which no sound can be made again. The level of a column is the
 * root mean square of its frames' powers, as in `createSpectrumImage`.
 *
 * @param sampleRate Hz
 */
export function createOverview(sampleRate: number) {
  const binHz = binHzOf(sampleRate);
  /** Mean squared powers of the bands, column by column. */
  let columns: Float32Array[] = [];
  let framesPerColumn = FRAMES_PER_SECOND;
  const sums = new Float64Array(OVERVIEW_BANDS);
  let frames = 0;

  const sampler = createFrameSampler(sampleRate, addFrame, FRAMES_PER_SECOND);

  function addFrame(powers: Float32Array): void {
    if (columns.length === MOST_COLUMNS) joinColumns();
    for (let band = 0; band < OVERVIEW_BANDS; band += 1)
      sums[band] = (sums[band] ?? 0) + powerBetween(powers, binHz, band * BAND_HZ, (band + 1) * BAND_HZ) ** 2;
    frames += 1;
    if (frames === framesPerColumn) endColumn();
  }

  function endColumn(): void {
    columns.push(Float32Array.from(sums, (sum) => sum / frames));
    sums.fill(0);
    frames = 0;
  }

  function joinColumns(): void {
    const second = (index: number): Float32Array | undefined => columns[index + 1];
    columns = columns.flatMap((column, index) =>
      index % 2 === 0 ? [column.map((square, band) => (square + (second(index)?.[band] ?? 0)) / 2)] : [],
    );
    framesPerColumn *= 2;
  }

  return {
    /** @param mono the next samples */
    push: sampler.push,
    /** @returns one byte for each band, column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest */
    end(): Uint8Array<ArrayBuffer> {
      sampler.end();
      if (frames > 0) endColumn();
      const levels = columns.map((column) => column.map((square) => decibels(Math.sqrt(square))));
      const sample = Float32Array.from({ length: SCALE_FRAMES * OVERVIEW_BANDS }, (_, index) => {
        const at = Math.floor((((index % SCALE_FRAMES) + 0.5) / SCALE_FRAMES) * levels.length);
        return levels[at]?.[Math.floor(index / SCALE_FRAMES)] ?? 0;
      });
      const scale = chooseScale(sample, BAND_HZ, (columns.length * framesPerColumn) / FRAMES_PER_SECOND);
      const shape = { bands: OVERVIEW_BANDS, hzPerBand: BAND_HZ, firstBandHz: BAND_HZ / 2 };
      const write = createColumnWriter({ scale, ...shape, maxHz: OVERVIEW_TOP_HZ, rows: OVERVIEW_BANDS });
      const bytes = new Uint8Array(levels.length * OVERVIEW_BANDS);
      for (const [index, column] of levels.entries()) write(column, bytes.subarray(index * OVERVIEW_BANDS));
      return bytes;
    },
  };
}
