/**
 * The levels of a recording's spectrum that are drawn as quiet and as loud. Chosen once for the whole recording (its noise is paper,
 * its loudest ink), so that a colour means the same at any zoom, whether the page or the server computes the image.
 */
export interface SpectrumScale {
  /** dB of noise, to be subtracted: the median of each band, evenly spaced from 0 Hz upwards */
  readonly background: Float32Array;
  /** Hz from one band of `background` to the next */
  readonly hzPerBand: number;
  /** level drawn as quiet (dB, without background) */
  readonly floor: number;
  /** level drawn as loud (dB, without background) */
  readonly ceiling: number;
  /** share of a moment's noise above the floor (a gust, a passing car) that is subtracted from that moment, 0–1 */
  readonly gustShare: number;
}

/** Number of frames, spread evenly over a recording, from which its scale is chosen. */
export const SCALE_FRAMES = 100;

/**
 * Most song is between these, and the scale is chosen from there only. Below are wind and traffic, which may be overexposed so that songs
 * are not underexposed. Above, many recordings hold nothing; how much of it there is depends on the rate at which they are decoded.
 */
export const LOWEST_SONG_HZ = 1500;
export const HIGHEST_SONG_HZ = 10_000;
/** A band whose background is this far (dB) below the loudest one's was not recorded, as above the limit of a phone call. */
const NOT_RECORDED = 40;
/** The background of a band is measured up to this far on either side of it. */
const BACKGROUND_HZ = 1000;
/** What is less than this (dB) above its band's background is drawn as quiet. */
const ABOVE_BACKGROUND = 6;
/** Part of the levels in the range of song that is below what is drawn as loud. */
const LOUD_PART = 0.995;
/** dB between quiet and loud. */
const NARROWEST_RANGE = 18;
const WIDEST_RANGE = 60;
/**
 * In ten minutes of wind, gusts would hide the birds. In a few seconds, nothing is subtracted, because the noise may be what people
 * want to see. In between, the share rises with the logarithm of the length.
 */
const MOST_GUST_SHARE = 0.8;
const NO_GUSTS_SECONDS = 30;
const ALL_GUSTS_SECONDS = 300;
/** Lowest power, so that its logarithm is finite. */
const SILENCE = 1e-12;

const powerBits = new Float32Array(1);
const bits = new Int32Array(powerBits.buffer);

/**
 * 10·log₁₀ of a power, within 0.3 dB. The bits of a float are almost its logarithm: the exponent, then the mantissa, taken as
 * linear. A million calls of Math.log10 would take longer than the rest of an image.
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
 * @param levels dB of `SCALE_FRAMES` frames spread evenly over it, band by band: all frames of one band, then of the next
 * @param hzPerBand from one band to the next; the first is at 0 Hz
 * @param durationSeconds of the recording
 */
export function chooseScale(levels: Float32Array, hzPerBand: number, durationSeconds: number): SpectrumScale {
  const lowest = Math.ceil(LOWEST_SONG_HZ / hzPerBand);
  const smooth = measureBackground(levels, Math.round(BACKGROUND_HZ / hzPerBand), lowest);
  const song = Array.from(smooth.keys()).slice(lowest, Math.ceil(HIGHEST_SONG_HZ / hzPerBand));
  const limit = song.reduce((highest, band) => Math.max(highest, smooth[band] ?? 0), Number.NEGATIVE_INFINITY) - NOT_RECORDED;
  const recorded = song.filter((band) => (smooth[band] ?? 0) >= limit);
  const least = recorded.reduce((lowest, band) => Math.min(lowest, smooth[band] ?? 0), Number.POSITIVE_INFINITY);
  const background = smooth.map((level) => Math.max(level, least));
  const length = Math.log(durationSeconds / NO_GUSTS_SECONDS) / Math.log(ALL_GUSTS_SECONDS / NO_GUSTS_SECONDS);
  const gustShare = MOST_GUST_SHARE * Math.min(1, Math.max(0, length));
  return { background, hzPerBand, ...findRange(levels, background, recorded), gustShare };
}

/**
 * The background (dB) of each band: its median over time, and of those the median over a wide range, so that a long narrow song (a
 * nightjar's, a grasshopper warbler's) is not mistaken for it. Bands below the lowest song keep their own median if it is higher, because
 * noise rises too steeply there.
 */
function measureBackground(levels: Float32Array, reach: number, lowestSong: number): Float32Array {
  const bands = levels.length / SCALE_FRAMES;
  const medians = Float32Array.from({ length: bands }, (_, band) =>
    percentile(levels.slice(band * SCALE_FRAMES, (band + 1) * SCALE_FRAMES).sort(), 0.5),
  );
  return medians.map((own, band) => {
    const around = percentile(medians.slice(Math.max(0, band - reach), band + reach + 1).sort(), 0.5);
    return band < lowestSong ? Math.max(own, around) : around;
  });
}

/** Levels are counted in steps of this many dB: the difference from sorting is invisible, and sorting is slow. */
const COUNT_STEP = 0.1;
/** Levels are counted between −250 and 250 dB; samples between −1 and 1 stay well within. */
const COUNTED_RANGE = 250;

function findRange(
  levels: Float32Array,
  background: Float32Array,
  measured: readonly number[],
): { floor: number; ceiling: number } {
  const counts = new Uint32Array((2 * COUNTED_RANGE) / COUNT_STEP);
  let counted = 0;
  for (const band of measured) {
    const under = (background[band] ?? 0) - COUNTED_RANGE;
    for (let index = band * SCALE_FRAMES; index < (band + 1) * SCALE_FRAMES; index += 1) {
      const step = Math.floor(((levels[index] ?? 0) - under) / COUNT_STEP);
      const within = Math.min(counts.length - 1, Math.max(0, step));
      counts[within] = (counts[within] ?? 0) + 1;
      counted += 1;
    }
  }
  let left = Math.floor(LOUD_PART * (counted - 1));
  const step = counts.findIndex((count) => {
    left -= count;
    return left < 0;
  });
  const loud = (Math.max(0, step) + 0.5) * COUNT_STEP - COUNTED_RANGE;
  const floor = Math.max(ABOVE_BACKGROUND, loud - WIDEST_RANGE);
  return { floor, ceiling: Math.max(loud, floor + NARROWEST_RANGE) };
}
