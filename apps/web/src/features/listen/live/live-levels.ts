import { createSpectrumFrames, decibels } from '@chiffchaff/recognizer/audio';
import type { Span } from '../../../platform/format/format.ts';
import { SAMPLE_RATE } from './microphone.ts';

const LOWEST_HZ = 1000;
const HIGHEST_HZ = 11_000;
export const COLUMNS_A_SECOND = 80;
const HOP = SAMPLE_RATE / COLUMNS_A_SECOND;
/** Steps of a byte for each decibel above the noise, and the decibels above it that are not drawn. */
const STEPS_A_DECIBEL = 6;
const NOT_DRAWN_DECIBELS = 6;
/** Shares by which the estimate of the noise follows a column: within a second down, within ten up; at first it is the mean. */
const [FALLS_BY, RISES_BY] = [0.03, 0.002];

/** How much is kept: the best moment of a new row is older than the picture while the recogniser catches up. */
const KEPT_COLUMNS = 60 * COLUMNS_A_SECOND;

export type LiveLevels = ReturnType<typeof createLiveLevels>;

/**
 * The spectrogram of the last minute of live sound: for each column, one byte a row, from 1 to 11 kHz, above the constant noise of that row.
 * Computed from all samples, so that it has no gaps when the page was too busy to draw.
 */
export function createLiveLevels() {
  const frames = createSpectrumFrames(SAMPLE_RATE, 1);
  const [from, to] = [LOWEST_HZ, HIGHEST_HZ].map((hertz) => Math.round(hertz / frames.hzPerBand)) as [number, number];
  const rows = to - from;
  const kept = new Uint8Array(KEPT_COLUMNS * rows);
  const powers = [new Float32Array(frames.bands), new Float32Array(frames.bands)] as const;
  let noise: Float32Array | null = null;
  let samples = new Float32Array(0);
  let written = 0;

  function write(power: Float32Array): void {
    const heard = Float32Array.from(power.subarray(from, to), decibels);
    noise ??= heard.slice();
    const at = (written % KEPT_COLUMNS) * rows;
    for (const [row, level] of heard.entries()) {
      const before = noise[row] ?? 0;
      noise[row] = before + (level - before) * Math.max(level < before ? FALLS_BY : RISES_BY, 1 / (written + 1));
      // Clamped by the array's type.
      kept[at + row] = Math.max(0, Math.min(255, (level - before - NOT_DRAWN_DECIBELS) * STEPS_A_DECIBEL));
    }
    written += 1;
  }

  function copy(first: number, count: number): Uint8Array {
    const levels = new Uint8Array(count * rows);
    for (let column = 0; column < count; column += 1) {
      const at = ((first + column) % KEPT_COLUMNS) * rows;
      levels.set(kept.subarray(at, at + rows), column * rows);
    }
    return levels;
  }

  return {
    rows,
    /** Columns that were written since the start. */
    written: () => written,
    push(piece: Float32Array): void {
      const joined = new Float32Array(samples.length + piece.length);
      joined.set(samples);
      joined.set(piece, samples.length);
      let done = 0;
      for (; done + frames.windowSamples + HOP <= joined.length; done += 2 * HOP) {
        const centre = done + frames.windowSamples / 2;
        frames.measurePair(joined, centre, centre + HOP, powers[0], powers[1]);
        for (const power of powers) write(power);
      }
      samples = joined.slice(done);
    },
    /** The latest columns, oldest first. @param count at most `KEPT_COLUMNS` */
    latest: (count: number): Uint8Array => copy(written - count, count),
    /** Those of a stretch of time, in seconds from the start; null if they are not kept, or not there yet. */
    between({ startSeconds, endSeconds }: Span): Uint8Array | null {
      const [first, end] = [startSeconds, endSeconds].map((seconds) => Math.round(seconds * COLUMNS_A_SECOND)) as [
        number,
        number,
      ];
      return first < written - KEPT_COLUMNS || end > written ? null : copy(first, end - first);
    },
  };
}
