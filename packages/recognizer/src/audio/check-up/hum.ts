import { createFramePairs, type FramePowers } from './frames.ts';
import { checkUpThresholds } from './thresholds.ts';

const limits = checkUpThresholds.hum;
const { rumble } = checkUpThresholds.wind;

/** Hz after decimation: eight multiples of 60 Hz fit below half of it. */
const HUM_RATE = 1000;
/** About a second, 1 Hz per bin: separates 50 from 60 Hz and both from their neighbours. */
const FRAME_SAMPLES = 1024;
/** A line is compared with its neighbours between these distances, in bins. */
const NEAREST = 4;
const FARTHEST = 16;
/** A Hann window puts a quarter of the centre bin's power into each neighbour. */
const LINE_SPREAD = 1.5;

const MAINS = [50, 60] as const;
export type MainsHz = (typeof MAINS)[number];

interface HumReading {
  readonly mainsHz: MainsHz;
  /** share of the frames in which the lines stand out, 0…1 */
  readonly share: number;
  /** mean square of the lines in those frames */
  readonly power: number;
  /** share of the low-frequency power that is in tones, 0…1; wind has none */
  readonly toneShare: number;
}

/** Detects lines at multiples of 50 or 60 Hz, which mains power causes in cables and near machines. */
export function createHumMeter(sampleRate: number) {
  // Decimates by plain averaging. It attenuates what aliases onto 50 or 60 Hz by about 24 dB or more, less at the higher multiples.
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
          // Hum is continuous: every other second is enough.
          const skipped = Math.min(2 * frameSamples - position, mono.length - from);
          position = (position + skipped) % (2 * frameSamples);
          from += skipped;
          continue;
        }
        const to = Math.min(mono.length, from + samplesInMean - (position % samplesInMean));
        // A local variable, for speed: this loop runs for every sample.
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
    /** Ignores an incomplete frame at the end of the recording. */
    end(): HumReading {
      pairs.end();
      const [first, second] = found.toSorted((a, b) => b.frames - a.frames);
      const mainsHz = first?.mainsHz ?? MAINS[0];
      const lasting = first?.frames ?? 0;
      // Lines at the multiples of both frequencies belong to an engine, not to the mains.
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

/** The power in the rumble range: in total, and in lines. */
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

/** The power of a line at or next to a bin; 0 if none stands out from its neighbours. */
function lineNear(powers: FramePowers, centre: number): number {
  const line = Math.max(powers[centre - 1] ?? 0, powers[centre] ?? 0, powers[centre + 1] ?? 0);
  // Few bins are lines. The median is not needed if any neighbour comes close.
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
