import { createFramePairs, type FramePowers } from './frames.ts';
import { checkUpThresholds } from './thresholds.ts';

const limits = checkUpThresholds.hum;
const { rumble } = checkUpThresholds.wind;

/** Hz: eight multiples of 60 Hz fit below its half. */
const HUM_RATE = 1000;
/** About a second, 1 Hz a bin: tells 50 from 60 Hz and both from their neighbours. */
const FRAME_SAMPLES = 1024;
/** Neighbours that a line is compared with lie between these distances, in bins. */
const NEAREST = 4;
const FARTHEST = 16;
/** A Hann window spreads a tone over its bin and half of each neighbour. */
const LINE_SPREAD = 1.5;

const MAINS = [50, 60] as const;
export type MainsHz = (typeof MAINS)[number];

interface HumReading {
  readonly mainsHz: MainsHz;
  /** part of the recording in which the lines stand out, 0…1 */
  readonly share: number;
  /** mean square of the lines where they do */
  readonly power: number;
  /** part of the power of all that is low that is in tones, 0…1: wind has none */
  readonly toneShare: number;
}

/** Looks for lines at the multiples of 50 and of 60 Hz, as mains power makes them in cables and near machines. */
export function createHumMeter(sampleRate: number) {
  // A plain mean: what would fold back onto a line lies next to a multiple of the new rate, where it is 26 dB down and more.
  const samplesInMean = Math.max(1, Math.round(sampleRate / HUM_RATE));
  const binHz = sampleRate / samplesInMean / FRAME_SAMPLES;
  const frameSamples = samplesInMean * FRAME_SAMPLES;
  const found = MAINS.map((mainsHz) => ({ mainsHz, frames: 0, power: 0 }));
  let frames = 0;
  let position = 0;
  let sum = 0;
  let lowPower = 0;
  let lowTones = 0;

  const judge = (powers: FramePowers): void => {
    frames += 1;
    const low = lowPowers(powers, binHz);
    lowPower += low.all;
    lowTones += low.tones;
    for (const each of found) {
      const { lines, power } = findLines(powers, each.mainsHz / binHz);
      if (lines < limits.leastLines) continue;
      each.frames += 1;
      each.power += power;
    }
  };

  const pairs = createFramePairs(FRAME_SAMPLES, judge);
  const addMean = (mean: number, place: number): void => {
    pairs.current[place] = mean;
    if (place === FRAME_SAMPLES - 1) pairs.close();
  };

  return {
    push(mono: Float32Array): void {
      for (let from = 0; from < mono.length; ) {
        if (position >= frameSamples) {
          // A hum lasts: every other second tells as much as all of them.
          const skipped = Math.min(2 * frameSamples - position, mono.length - from);
          position = (position + skipped) % (2 * frameSamples);
          from += skipped;
          continue;
        }
        const to = Math.min(mono.length, from + samplesInMean - (position % samplesInMean));
        // In a variable of its own: this loop runs for every sample.
        let inner = sum;
        for (let at = from; at < to; at++) inner += mono[at] ?? 0;
        sum = inner;
        position += to - from;
        from = to;
        if (position % samplesInMean !== 0) return;
        addMean(sum / samplesInMean, position / samplesInMean - 1);
        sum = 0;
      }
    },
    /** Less than a second at the end of the recording is left out. */
    end(): HumReading {
      pairs.end();
      const [first, second] = found.toSorted((a, b) => b.frames - a.frames);
      const mainsHz = first?.mainsHz ?? MAINS[0];
      const lasting = first?.frames ?? 0;
      // Lines of both are lines of neither: what has lines everywhere is an engine.
      const isEngine = (second?.frames ?? 0) > lasting / 2;
      const toneShare = lowPower > 0 ? lowTones / lowPower : 0;
      if (frames < limits.fewestFrames || lasting === 0 || isEngine) return { mainsHz, share: 0, power: 0, toneShare };
      return { mainsHz, share: lasting / frames, power: (first?.power ?? 0) / lasting, toneShare };
    },
  };
}

/** @param spacing bins between lines */
function findLines(powers: FramePowers, spacing: number): { lines: number; power: number } {
  let lines = 0;
  let power = 0;
  for (let multiple = 1; multiple <= limits.multiples && multiple * spacing + FARTHEST < powers.length; multiple++) {
    const line = lineNear(powers, Math.round(multiple * spacing));
    if (line > 0) lines += 1;
    power += line;
  }
  return { lines, power };
}

/** Powers between two frequencies: of everything, and of what stands out as a line. */
function lowPowers(powers: FramePowers, binHz: number): { all: number; tones: number } {
  let all = 0;
  let tones = 0;
  for (let bin = Math.ceil(rumble[0] / binHz); bin < rumble[1] / binHz; bin++) {
    const power = powers[bin] ?? 0;
    all += power;
    const isTop = power > (powers[bin - 1] ?? 0) && power >= (powers[bin + 1] ?? 0);
    if (isTop) tones += lineNear(powers, bin);
  }
  return { all, tones };
}

/** Power of a line at a bin or next to it; 0 when nothing there stands out among its neighbours. */
function lineNear(powers: FramePowers, centre: number): number {
  const line = Math.max(powers[centre - 1] ?? 0, powers[centre] ?? 0, powers[centre + 1] ?? 0);
  // Hardly anything is a line; what any neighbour comes near to needs no median.
  let highest = 0;
  for (let distance = NEAREST; distance <= FARTHEST; distance++) {
    highest = Math.max(highest, powers[centre - distance] ?? 0, powers[centre + distance] ?? 0);
    if (line <= limits.aboveHighest * highest) return 0;
  }
  const around = [
    ...powers.subarray(Math.max(0, centre - FARTHEST), Math.max(0, centre - NEAREST + 1)),
    ...powers.subarray(centre + NEAREST, centre + FARTHEST + 1),
  ].sort((a, b) => a - b);
  const median = around[Math.floor(around.length / 2)] ?? 0;
  return line > limits.aboveMedian * median ? line * LINE_SPREAD : 0;
}
