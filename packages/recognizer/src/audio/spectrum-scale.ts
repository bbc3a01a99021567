/**
 * What is quiet and what is loud in one recording's spectrum. Chosen once for the whole recording (its noise is dark, its loudest
 * bright), so that zooming never changes what a colour means, whether the page or the server computes the image.
 */
export interface SpectrumScale {
  /** dB that wind and traffic put under everything, to be taken away; one for each band, from 0 Hz upwards, evenly spaced */
  readonly background: Float32Array;
  /** Hz from one band of `background` to the next */
  readonly hzPerBand: number;
  /** dB, without background, of what is drawn as quiet */
  readonly floor: number;
  /** dB, without background, of what is drawn as loud */
  readonly ceiling: number;
  /** Share of a moment's noise above the floor (a gust, a passing car) that is taken away from that moment, 0–1. */
  readonly gustShare: number;
}

/** How many frames, spread evenly over a recording, its scale is chosen from. */
export const SCALE_FRAMES = 100;

/** Wind and traffic lie below: they may be overexposed, so that what sings is not underexposed. */
export const LOWEST_SONG_HZ = 1500;
/** How wide a band the background is taken from, to either side. */
const BACKGROUND_HZ = 1000;
/** How much of the background is taken away: most of it, and not so much that noise no longer looks like noise. */
const BACKGROUND_SHARE = 0.75;
/**
 * In ten minutes of wind the gusts would hide the birds; of a few seconds nothing is taken, where a moment's noise may well be what is to be
 * seen. In between, the share rises with the logarithm of the length.
 */
const MOST_GUST_SHARE = 0.8;
const NO_GUSTS_SECONDS = 30;
const ALL_GUSTS_SECONDS = 300;
/** Power that counts as silence, so that its logarithm exists. */
const SILENCE = 1e-12;

const powerBits = new Float32Array(1);
const bits = new Int32Array(powerBits.buffer);

/**
 * 10·log₁₀ of a power, within 0.3 dB: a float's bits are its logarithm already, nearly (exponent, then a mantissa taken as linear).
 * A million calls of Math.log10 would take longer than everything else in an image.
 */
export function decibels(power: number): number {
  powerBits[0] = Math.max(power, SILENCE);
  return ((bits[0] ?? 0) / 8_388_608 - 126.957) * 3.0103;
}

/** Value below which the given part of a sorted list lies. */
const percentile = (sorted: Float32Array, part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;

/**
 * Chooses the scale of a recording.
 *
 * @param levels dB of `SCALE_FRAMES` frames spread evenly over it, band after band: all frames of one band, then of the next
 * @param hzPerBand from one band to the next; the first is at 0 Hz
 * @param durationSeconds of the recording
 */
export function chooseScale(levels: Float32Array, hzPerBand: number, durationSeconds: number): SpectrumScale {
  const background = measureBackground(levels, Math.round(BACKGROUND_HZ / hzPerBand));
  const length = Math.log(durationSeconds / NO_GUSTS_SECONDS) / Math.log(ALL_GUSTS_SECONDS / NO_GUSTS_SECONDS);
  const gustShare = MOST_GUST_SHARE * Math.min(1, Math.max(0, length));
  return { background, hzPerBand, ...findRange(levels, background, Math.ceil(LOWEST_SONG_HZ / hzPerBand)), gustShare };
}

/**
 * The recording's background (dB above its quietest part) for each band. Taken from the quieter moments and over a wide band, so
 * that a long narrow song (a nightjar's, a grasshopper warbler's) is not mistaken for it.
 */
function measureBackground(levels: Float32Array, reach: number): Float32Array {
  const bands = levels.length / SCALE_FRAMES;
  const quiet = Float32Array.from({ length: bands }, (_, band) =>
    percentile(levels.slice(band * SCALE_FRAMES, (band + 1) * SCALE_FRAMES).sort(), 0.3),
  );
  const smooth = quiet.map((_, band) => percentile(quiet.slice(Math.max(0, band - reach), band + reach + 1).sort(), 0.5));
  const least = smooth.reduce((lowest, level) => Math.min(lowest, level), Number.POSITIVE_INFINITY);
  return smooth.map((level) => BACKGROUND_SHARE * (level - least));
}

/** Levels are counted in steps of this (dB): the difference to sorting is invisible, and sorting is slow. */
const COUNT_STEP = 0.1;
/** Lowest and highest level that is told apart (dB); samples between −1 and 1 stay well within. */
const COUNTED_RANGE = 250;

function findRange(levels: Float32Array, background: Float32Array, firstBand: number): { floor: number; ceiling: number } {
  const counts = new Uint32Array((2 * COUNTED_RANGE) / COUNT_STEP);
  let counted = 0;
  for (let band = firstBand; band < background.length; band += 1) {
    const under = (background[band] ?? 0) - COUNTED_RANGE;
    for (let index = band * SCALE_FRAMES; index < (band + 1) * SCALE_FRAMES; index += 1) {
      const step = Math.floor(((levels[index] ?? 0) - under) / COUNT_STEP);
      const within = Math.min(counts.length - 1, Math.max(0, step));
      counts[within] = (counts[within] ?? 0) + 1;
      counted += 1;
    }
  }
  /** dB below which the given part of the levels lies. */
  const levelAt = (part: number): number => {
    let left = Math.floor(part * (counted - 1));
    const step = counts.findIndex((count) => {
      left -= count;
      return left < 0;
    });
    return (Math.max(0, step) + 0.5) * COUNT_STEP - COUNTED_RANGE;
  };
  const loud = levelAt(0.9995);
  const floor = Math.max(levelAt(0.5), loud - 60);
  return { floor, ceiling: Math.max(loud, floor + 30) };
}
